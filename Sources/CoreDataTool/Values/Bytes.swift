import CoreData
import Foundation

/// The content of bytes in a store, if a safe decoder can read it.
enum DecodedBytes {
    /// The value of a keyed archive of property-list classes, or of a property list; nil for all other bytes. No class
    /// that an archive names is looked up, and no bytes stop the process.
    static func value(_ data: Data) -> Any? {
        if let value = NSSecureUnarchiveFromDataTransformer().transformedValue(data) { return value }
        let isList = data.starts(with: Data("bplist00".utf8)) || data.starts(with: Data("<?xml".utf8))
        // A list with very deep nesting would overflow the stack; a small list cannot have it.
        guard isList, data.count <= largestList else { return nil }
        let result = Result()
        let thread = Thread {
            result.take { try MetadataList.value(from: data) }
        }
        thread.stackSize = 1 << 28
        thread.start()
        return result.wait()
    }

    /// The content of bytes in readable form: the value of an archive or a property list, or text such as JSON. Nil for
    /// other bytes.
    ///
    /// - Parameter limit: the maximum number of bytes of text.
    static func readable(_ data: Data, within limit: Int) -> JSON? {
        if let value = value(data) { return ValueText.json(value) }
        var part = data.prefix(limit)
        if data.count > limit {
            // A character of several bytes at the cut is left out.
            while let last = part.last, last & 0xC0 == 0x80 { part.removeLast() }
            part = part.dropLast()
        }
        let controls = "\t\n\r".unicodeScalars
        guard !part.isEmpty, let text = String(validating: part, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 32 && !controls.contains($0) })
        else { return nil }
        return .string(part.count < data.count ? text + "…" : text)
    }

    private static let largestList = 1 << 16

    /// The result of a thread.
    private final class Result: @unchecked Sendable {  // the semaphore orders both sides
        private let semaphore = DispatchSemaphore(value: 0)
        private var value: Any?

        func take(_ make: () throws -> Any) {
            let made = try? make()
            // A keyed archive is read by its decoder alone.
            if (made as? [String: Any])?["$archiver"] == nil { value = made }
            semaphore.signal()
        }

        func wait() -> Any? {
            semaphore.wait()
            return value
        }
    }
}

/// Bytes in hexadecimal digits.
enum HexDump {
    private static let bytesInLine = 32

    /// Lines of 32 bytes each, in groups of four.
    static func lines(_ bytes: some Collection<UInt8>) -> [String] {
        let all = Array(bytes)
        return stride(from: 0, to: all.count, by: bytesInLine).map { start in
            let line = all[start..<min(start + bytesInLine, all.count)]
            return stride(from: line.startIndex, to: line.endIndex, by: 4).map { group in
                line[group..<min(group + 4, line.endIndex)].map { byte in
                    (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }.joined()
            }.joined(separator: " ")
        }
    }
}
