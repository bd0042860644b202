import Foundation
import FoundationXML

/// An element of an XML store, with its text.
final class XMLRecordElement {
    let name: String
    let attributes: [String: String]
    /// The line of the start tag, from 1.
    let line: Int
    fileprivate(set) var children: [XMLRecordElement] = []
    /// The text between the element's tags, that of its children left out.
    fileprivate(set) var text = ""

    fileprivate init(name: String, attributes: [String: String], line: Int) {
        self.name = name
        self.attributes = attributes
        self.line = line
    }

    /// The first child of a name.
    func child(_ name: String) -> XMLRecordElement? { children.first { $0.name == name } }

    /// Parses a file; nothing outside of it is read. Throws where it is not well-formed, or nested too deeply.
    static func parse(_ data: Data) throws -> XMLRecordElement {
        let builder = ElementBuilder()
        // In pieces: as a whole, the parser refuses more than ten million bytes.
        let parser = XMLParser(stream: InputStream(data: data))
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        let succeeded = parser.parse()
        if let reason = builder.reason { throw archiveError(reason) }
        guard succeeded, parser.parserError == nil, builder.isComplete, let root = builder.root else {
            throw archiveError("line \(max(parser.lineNumber, 1)): not well-formed XML")
        }
        return root
    }
}

/// Collects the events of the parser into a tree.
private final class ElementBuilder: NSObject, XMLParserDelegate {
    /// Metadata may nest; more than this is no store.
    private static let maximumDepth = 128

    var root: XMLRecordElement?
    var reason: String?
    private var open: [XMLRecordElement] = []
    private var sawError = false

    /// Whether every element was closed. (The parser goes on after some errors and still calls that success.)
    var isComplete: Bool { open.isEmpty && !sawError }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        let element = XMLRecordElement(name: elementName, attributes: attributeDict, line: parser.lineNumber)
        open.last?.children.append(element)
        if root == nil { root = element }
        open.append(element)
        if open.count > Self.maximumDepth {
            reason = "line \(parser.lineNumber): elements are nested more than \(Self.maximumDepth) deep"
            parser.abortParsing()
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { open.last?.text += string }

    func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
        open.last?.text += String(decoding: CDATABlock, as: UTF8.self)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        _ = open.popLast()
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) { sawError = true }
}

/// The property list within an XML store: its metadata.
enum XMLPropertyList {
    /// The value of an element of a property list.
    static func value(of element: XMLRecordElement) throws -> Any {
        let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch element.name {
        case "string": return element.text
        case "integer": if let number = Int(text) { return NSNumber(value: number) }
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
        let data: Data
        do {
            data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        } catch {
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "The store's metadata holds a value that is not a property list.", underlying: error)
        }
        let text = String(decoding: data, as: UTF8.self)
        guard let start = text.range(of: "<plist") else { return "" }
        return text[start.lowerBound...].trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
