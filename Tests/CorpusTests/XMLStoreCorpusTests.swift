import CoreData
import Foundation
import FoundationXML
import TestSupport
import Testing

/// The mapping models of the corpus are XML stores of a model that the corpus has, too.
/// Proof: Apple's XML stores, read here.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct XMLStoreCorpusTests {
    private static let files = Corpus.paths { $0.hasSuffix("xcmapping.xml") }
    private static let model = Corpus.paths { $0.hasSuffix("XDDevMappingModel.mom") }.first

    /// The objects of a store by their URIs: all attributes, and the URIs behind all relationships.
    private func content(_ context: NSManagedObjectContext) throws -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        let request = NSFetchRequest<NSManagedObject>(entityName: "XDDevEntityMapping")
        let others = ["XDDevMappingModel", "XDDevAttributeMapping", "XDDevRelationshipMapping"]
            .map { NSFetchRequest<NSManagedObject>(entityName: $0) }
        for object in try ([request] + others).flatMap({ try context.fetch($0) }) {
            var values: [String: String] = [:]
            for name in object.entity.attributesByName.keys { values[name] = "\(object.value(forKey: name) ?? "nil")" }
            for name in object.entity.relationshipsByName.keys {
                values[name] = object.objectIDs(forRelationshipNamed: name).map { $0.uriRepresentation().path }.sorted()
                    .joined(separator: " ")
            }
            result[object.objectID.uriRepresentation().path] = values
        }
        return result
    }

    /// Compares the objects with the elements of the file, as Foundation parses them.
    private func compare(_ read: [String: [String: String]], with file: FileObjects, _ path: String) {
        #expect(read.count == file.texts.count, "\(path)")
        var compared = 0
        for (uri, values) in read {
            let parts = uri.split(separator: "/").map(String.init)
            let key = "\(parts[0].uppercased())/\(parts[1].filter(\.isNumber))"
            guard let texts = file.texts[key] else {
                Issue.record("\(path): no element is \(key)")
                continue
            }
            for (name, value) in values {
                guard let text = texts[name.lowercased()] else { continue }
                compared += 1
                let keys = value.split(separator: " ").compactMap { $0.split(separator: "/").last?.filter(\.isNumber) }
                let isLink = file.links[key]?.contains(name.lowercased()) == true
                let others = text.split(separator: " ").map(String.init)
                let isEqual = isLink ? keys.sorted() == others.sorted() : value == text
                #expect(isEqual, "\(path): \(key).\(name): \(value) for \(text)")
            }
        }
        #expect(compared > file.texts.count, "\(path)")
    }

    @Test("Every mapping model's file is read with its model, and comes back the same when it is written")
    func mappingModels() throws {
        let path = try #require(Self.model, "no model of mapping models")
        let model = try #require(NSManagedObjectModel(contentsOf: Corpus.url(path)))
        // Real files lack values that their model requires, and no save validates them.
        let lenient = try #require(NSManagedObjectModel(contentsOf: Corpus.url(path)))
        for property in lenient.entities.flatMap(\.properties) { property.isOptional = true }
        #expect(Self.files.count >= 25)
        for path in Self.files {
            let folder = try TemporaryFolder()
            let url = folder.url.appendingPathComponent("copy.xml")
            try Data(contentsOf: Corpus.url(path)).write(to: url)
            func open(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]) throws -> NSManagedObjectContext {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(
                    ofType: NSXMLStoreType, configurationName: nil, at: url, options: options)
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.performAndWait { context.persistentStoreCoordinator = coordinator }
                return context
            }
            let exact = try open(model, [NSReadOnlyPersistentStoreOption: true])
            let read = try exact.performAndWait { try content(exact) }
            try compare(read, with: FileObjects(Corpus.url(path)), path)
            let first = try open(lenient, [NSIgnorePersistentStoreVersioningOption: true])
            let before = try first.performAndWait {
                let before = try content(first)
                #expect(before == read, "\(path)")
                let mappings = try first.fetch(NSFetchRequest<NSManagedObject>(entityName: "XDDevMappingModel"))
                #expect(mappings.count == 1, "\(path)")
                // A change and its reverse have the whole file written.
                let name = mappings.first?.value(forKey: "sourceModelPath")
                mappings.first?.setValue("elsewhere", forKey: "sourceModelPath")
                try first.save()
                mappings.first?.setValue(name, forKey: "sourceModelPath")
                try first.save()
                return before
            }
            #expect(before.count > 1, "\(path)")
            let second = try open(lenient, [NSIgnorePersistentStoreVersioningOption: true])
            let after = try second.performAndWait { try content(second) }
            #expect(after == before, "\(path)")
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSXMLStoreType, at: Corpus.url(path))
            #expect(metadata[NSStoreUUIDKey] != nil, "\(path)")
        }
    }
}

/// The objects of an XML store as elements, by type and key: the texts of attributes that are no bytes, and the keys
/// behind relationships.
private final class FileObjects: NSObject, XMLParserDelegate {
    private(set) var texts: [String: [String: String]] = [:]
    private(set) var links: [String: Set<String>] = [:]
    private var object = ""
    private var attribute: String?

    init(_ url: URL) throws {
        super.init()
        let parser = XMLParser(data: try Data(contentsOf: url))
        parser.delegate = self
        #expect(parser.parse(), "\(url.path)")
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let name = attributes["name"] ?? ""
        switch element {
        case "object":
            object = "\(attributes["type"] ?? "")/\((attributes["id"] ?? "").filter(\.isNumber))"
            texts[object] = [:]
        case "attribute" where attributes["type"] != "binary":
            attribute = name
            texts[object]?[name] = ""
        case "relationship":
            links[object, default: []].insert(name)
            texts[object]?[name] = (attributes["idrefs"] ?? "").filter { $0.isNumber || $0 == " " }
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if let attribute { texts[object]?[attribute]? += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) { attribute = nil }
}
