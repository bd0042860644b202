import CoreData
import Foundation

/// What bytes of a store hold, as far as a safe decoder is known.
enum DecodedBytes {
    /// The value of a keyed archive of property-list classes, or of a plain property list; nil for anything else. No
    /// class that an archive names is looked up, and no bytes stop the process.
    static func value(_ data: Data) -> Any? {
        if let value = NSSecureUnarchiveFromDataTransformer().transformedValue(data) { return value }
        let isList = data.starts(with: Data("bplist00".utf8)) || data.starts(with: Data("<?xml".utf8))
        // A list nested without end would take the stack; a small one cannot.
        guard isList, data.count <= largestList else { return nil }
        let result = Result()
        let thread = Thread {
            result.take { try MetadataList.value(from: data) }
        }
        thread.stackSize = 1 << 28
        thread.start()
        return result.wait()
    }

    /// What a person can read of bytes: the value of an archive or a property list, or text such as JSON. Nil for
    /// anything else.
    ///
    /// - Parameter limit: how many bytes of text are shown.
    static func readable(_ data: Data, within limit: Int) -> JSON? {
        if let value = value(data) { return ValueText.json(value) }
        var part = data.prefix(limit)
        if data.count > limit {
            // No letter is cut in two.
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

    /// What a thread found.
    private final class Result: @unchecked Sendable {  // the semaphore orders both sides
        private let semaphore = DispatchSemaphore(value: 0)
        private var value: Any?

        func take(_ make: () throws -> Any) {
            let made = try? make()
            // A keyed archive is told by its decoder alone.
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
