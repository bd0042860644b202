import Foundation
import FoundationXML

/// The objects of an XML store, as far as reading mapping models needs them: names and texts, without a model.
struct XMLStoreObjects {
    struct Object {
        /// The entity's name in upper case.
        let entity: String
        let id: String
        /// The texts of attributes by name in lower case; absent is nil.
        var attributes: [String: String] = [:]
        /// The ids that relationships lead to, by name in lower case.
        var relationships: [String: [String]] = [:]

        /// An attribute's text; `nil` when absent or empty.
        func text(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }

        func flag(_ name: String) -> Bool { attributes[name] == "1" }

        func data(_ name: String) -> Data? {
            attributes[name].flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
        }
    }

    private(set) var objects: [Object] = []

    /// Reads a store. Its document type is never fetched.
    init(_ data: Data, file: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), reader.isDatabase, !reader.sawError else {
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "line \(max(parser.lineNumber, 1)): this is no XML store of Core Data.",
                url: URL(fileURLWithPath: file))
        }
        objects = reader.objects
    }

    func objects(of entity: String) -> [Object] { objects.filter { $0.entity == entity } }
}

/// Takes the objects from the parser's events; everything else of the store is passed over.
private final class Reader: NSObject, XMLParserDelegate {
    var objects: [XMLStoreObjects.Object] = []
    var isDatabase = false
    var sawError = false
    private var current: XMLStoreObjects.Object?
    private var attribute: (name: String, text: String)?

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes values: [String: String]
    ) {
        switch elementName {
        case "database": isDatabase = true
        case "object":
            current = XMLStoreObjects.Object(entity: values["type"] ?? "", id: values["id"] ?? "")
        case "attribute": attribute = (values["name"] ?? "", "")
        case "relationship":
            let ids = (values["idrefs"] ?? "").split(separator: " ").map(String.init)
            current?.relationships[values["name"] ?? ""] = ids
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { attribute?.text += string }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        switch elementName {
        case "object":
            if let current { objects.append(current) }
            current = nil
        case "attribute":
            if let attribute { current?.attributes[attribute.name] = attribute.text }
            attribute = nil
        default: break
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) { sawError = true }
}
