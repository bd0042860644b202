import Foundation

/// The property list within an XML store: its metadata.
enum XMLPropertyList {
    /// The value of an element of a property list.
    static func value(of element: XMLTreeElement) throws -> Any {
        let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch element.name {
        case "string": return element.text
        case "integer":
            if let number = Int(text) { return NSNumber(value: number) }
            if let number = UInt(text) { return NSNumber(value: number) }
        case "real": if let number = Double(text) { return NSNumber(value: number) }
        case "true": return NSNumber(value: true)
        case "false": return NSNumber(value: false)
        case "data": if let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) { return data }
        case "date": if let date = try? Date(text, strategy: .iso8601) { return date }
        case "array": return try element.children.map { try value(of: $0) }
        case "dict":
            var result: [String: Any] = [:]
            guard element.children.count.isMultiple(of: 2) else { break }
            for index in stride(from: 0, to: element.children.count, by: 2) {
                let key = element.children[index]
                guard key.name == "key" else { throw archiveError("line \(key.line): a key is missing") }
                result[key.text] = try value(of: element.children[index + 1])
            }
            return result
        default: break
        }
        throw archiveError("line \(element.line): <\(element.name)> is no value of a property list")
    }

    /// The `plist` element of a dictionary.
    static func text(of list: [String: Any]) throws -> String {
        let data = try MetadataList.data(of: list, .xml) { data in
            do {
                let root = try XMLTreeElement.parse(data)
                for element in root.children { _ = try value(of: element) }
            } catch let failure as XMLTreeElement.Failure {
                throw archiveError("line \(failure.line): \(failure.reason)")
            }
        }
        let text = String(decoding: data, as: UTF8.self)
        guard let start = text.range(of: "<plist") else { return "" }
        // An XML reader would read a carriage return as the end of a line.
        return text[start.lowerBound...].trimmingCharacters(in: .whitespacesAndNewlines).unicodeScalars
            .map { $0 == "\r" ? "&#13;" : String($0) }.joined()
    }
}
