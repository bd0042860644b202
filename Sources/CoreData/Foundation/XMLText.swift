import Foundation

/// The text of an XML file in a form that is safe for Foundation's parser.
///
/// That parser stops the process if libxml2 passes it no text: at a name that is not UTF-8, at a processing instruction
/// without data, at declarations of notations, of entities that are not parsed, and of attributes without a default.
/// Also, libxml2 changes to any encoding that the file declares, so that markup may hide in other bytes. Therefore the
/// parser gets only UTF-8, with a declaration that this type writes, and none of this markup.
enum XMLText {
    typealias Failure = XMLTreeElement.Failure

    private static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

    /// The text of a file in UTF-8, with the same lines.
    ///
    /// Throws a `Failure` for bytes that are no text of the file's encoding, and for markup at which the parser would
    /// stop the process.
    static func forParser(_ data: Data) throws(Failure) -> Data {
        var body = try inUTF8(data)
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { body = body.dropFirst(3) }
        var text = Data(declaration.utf8)
        if let own = declared(in: body) {
            text.append(contentsOf: body[own].filter { $0 == UInt8(ascii: "\n") })
            body = body[own.upperBound...]
        }
        try check(body, firstLine: text.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 })
        text.append(body)
        return text
    }

    /// A longer text is no declaration, and the parser rejects a second declaration within the text.
    private static let longestDeclaration = 1024

    /// The range of a text's XML declaration.
    private static func declared(in text: Data) -> Range<Data.Index>? {
        guard text.starts(with: Data("<?xml".utf8)), let next = text.dropFirst(5).first, isSpace(next),
            let end = text.prefix(longestDeclaration).range(of: Data("?>".utf8))
        else { return nil }
        return text.startIndex..<end.upperBound
    }

    private static func inUTF8(_ data: Data) throws(Failure) -> Data {
        let encoding: String.Encoding
        if let wide = wideEncoding(data) {
            encoding = wide
        } else if let name = encodingName(data), name != "utf-8", name != "utf8" {
            guard let known = encodings[name] else {
                throw Failure(line: 1, reason: "the encoding '\(name)' is not one that is read")
            }
            encoding = known
        } else {
            guard data.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) != nil else {
                throw Failure(line: lineOfDamage(data), reason: "the text is not UTF-8")
            }
            return data
        }
        guard let text = String(data: data, encoding: encoding) else {
            throw Failure(line: 1, reason: "the text is not in the encoding that it declares")
        }
        return Data(text.utf8)
    }

    /// Encodings of declarations, in small letters.
    private static let encodings: [String: String.Encoding] = [
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2, "us-ascii": .ascii,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS,
    ]

    /// The encoding that the first bytes show.
    private static func wideEncoding(_ data: Data) -> String.Encoding? {
        if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) { return .utf16 }
        if data.starts(with: [0x3C, 0x00]) { return .utf16LittleEndian }
        if data.starts(with: [0x00, 0x3C]) { return .utf16BigEndian }
        return nil
    }

    /// The encoding that a text declares, in small letters; nil if it declares none.
    private static func encodingName(_ data: Data) -> String? {
        let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        guard let range = declared(in: text) else { return nil }
        // The parts are a name, a value, another name, and so on.
        let parts = String(decoding: text[range], as: UTF8.self).lowercased()
            .split(omittingEmptySubsequences: false) { $0 == "\"" || $0 == "'" }
        for (name, value) in zip(parts, parts.dropFirst())
        where name.filter({ !$0.isWhitespace }).hasSuffix("encoding=") {
            return String(value)
        }
        return nil
    }

    /// The line of the first byte that is not UTF-8, from 1.
    private static func lineOfDamage(_ data: Data) -> Int {
        var decoder = UTF8()
        var bytes = data.makeIterator()
        var line = 1
        while case .scalarValue(let scalar) = decoder.decode(&bytes) {
            if scalar == "\n" { line += 1 }
        }
        return line
    }

    /// libxml2 compares each attribute of an element with all before it.
    private static let mostAttributes = 10_000

    private static let declarations = ["<!ENTITY", "<!ATTLIST", "<!NOTATION", "<!ELEMENT"]

    /// Searches for markup at which the parser would stop the process, also in comments and other places where it would
    /// do no harm.
    ///
    /// Comments are not skipped: a check that finds their ends differently from libxml2 could be deceived. Without
    /// declared entities nothing else becomes markup.
    private static func check(_ text: Data, firstLine: Int) throws(Failure) {
        let damage = text.withUnsafeBytes { bytes -> (offset: Int, reason: String)? in
            // The C library's search is used, because texts can have many megabytes.
            func next(_ byte: UInt8, from start: Int) -> Int? {
                guard start < bytes.count, let base = bytes.baseAddress else { return nil }
                return memchr(base + start, Int32(byte), bytes.count - start).map { UnsafeRawPointer($0) - base }
            }
            if let offset = next(0, from: 0) { return (offset, "the text has a character 0") }
            if let offset = CombiningMarks.endlessRun(in: bytes) { return (offset, "a letter has too many marks") }
            var start = 0
            while let open = next(UInt8(ascii: "<"), from: start) {
                start = open + 1
                guard start < bytes.count else { break }
                if bytes[start] == question {
                    let end = bytes[(start + 1)...].firstIndex { isSpace($0) || $0 == question }
                    if let end, bytes[end] == question { return (open, "a processing instruction has no data") }
                } else if bytes[start] == UInt8(ascii: "!") {
                    guard start + 1 < bytes.count, bytes[start + 1] >= UInt8(ascii: "A") else { continue }
                    let name = declarations.first { bytes[open...].starts(with: $0.utf8) }
                    if let name { return (open, "a document type with declarations of its own (\(name))") }
                } else {
                    // An attribute takes five bytes at least.
                    let following = next(UInt8(ascii: "<"), from: start) ?? bytes.count
                    if following - start > 5 * mostAttributes,
                        countAttributes(bytes[start..<following]) > mostAttributes
                    {
                        return (open, "an element has more than \(mostAttributes) attributes")
                    }
                }
            }
            return nil
        }
        guard let damage else { return }
        let line = text.prefix(damage.offset).reduce(firstLine) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        throw Failure(line: line, reason: damage.reason)
    }

    /// The number of quoted values of a start tag.
    private static func countAttributes(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var count = 0
        var quote: UInt8?
        for byte in bytes {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
                count += 1
            } else if byte == UInt8(ascii: ">") {
                break
            }
        }
        return count
    }

    private static let question = UInt8(ascii: "?")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
