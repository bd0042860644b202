import Foundation

/// The objects of an XML store, as far as reading mapping models needs them: names and texts, without a model.
struct XMLStoreObjects {
    struct Object {
        /// The entity's name in upper case.
        let entity: String
        let id: String
        /// The texts of attributes by name in lower case; a missing one is nil.
        var attributes: [String: String] = [:]
        /// The ids to which relationships lead, by name in lower case.
        var relationships: [String: [String]] = [:]

        /// An attribute's text; nil if it is missing or empty.
        func text(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }

        func flag(_ name: String) -> Bool { attributes[name] == "1" }

        func data(_ name: String) -> Data? {
            attributes[name].flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
        }
    }

    private(set) var objects: [Object] = []

    /// Reads a store. Its document type is never fetched.
    init(_ data: Data, file: String) throws {
        func failure(_ line: Int, _ reason: String) -> NSError {
            NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "line \(line): this is no XML store of Core Data: \(reason).",
                url: URL(fileURLWithPath: file))
        }
        let root: XMLTreeElement
        do {
            root = try XMLTreeElement.parse(data)
        } catch {
            throw failure(error.line, error.reason)
        }
        guard root.name == "database" else { throw failure(root.line, "the root element is <\(root.name)>") }
        objects = root.children(named: "object").map(Self.object)
    }

    private static func object(_ element: XMLTreeElement) -> Object {
        var object = Object(entity: element.attributes["type"] ?? "", id: element.attributes["id"] ?? "")
        for child in element.children {
            let name = child.attributes["name"] ?? ""
            switch child.name {
            case "attribute": object.attributes[name] = child.text
            case "relationship":
                object.relationships[name] = (child.attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace)
                    .map(String.init)
            default: break
            }
        }
        return object
    }

    func objects(of entity: String) -> [Object] { objects.filter { $0.entity == entity } }
}
