/// Changes the names of classes in a model's source.
///
/// The class name is no part of an entity's version hash, so stores stay compatible.
enum ModelClassNames {
    /// The edits that give entities the Swift names of their classes.
    @Sendable static func edits(in bytes: [UInt8], renamedClasses: [String: String]) -> [TextEdit] {
        let key = Array("representedClassName=".utf8)
        var edits: [TextEdit] = []
        var position = 0
        while position + key.count < bytes.count {
            guard bytes[position...].starts(with: key) else {
                position += 1
                continue
            }
            position += key.count
            let quote = bytes[position]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = bytes[(position + 1)...].firstIndex(of: quote)
            else { continue }
            if let name = renamedClasses[String(decoding: bytes[(position + 1)..<end], as: UTF8.self)] {
                edits.append(TextEdit(range: position + 1..<end, replacement: name))
            }
            position = end
        }
        return edits
    }
}
