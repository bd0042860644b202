import CoreData
import Foundation

/// `coredata info`: what a store is, and what lies in it.
package struct InfoCommand: Command {
    package static let page = CommandPage(
        "info", "say what a store is and what lies in it",
        operands: [.store],
        options: [.model, .json],
        examples: [
            .init("coredata info Library.sqlite", "kind, model, entities and how many objects each has"),
            .init("coredata info Library.sqlite --json | jq .entities", "the entities for a script"),
        ])

    private let store: String
    private let model: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
    }

    private struct Entity {
        let name: String
        let parent: String?
        let isAbstract: Bool
        let count: Int
        let indexes: [String]
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try OpenedStore(store, model: model)
        let entities = try entities(of: store)
        if isJSON {
            try console.write(json(store, entities))
        } else {
            try text(store, entities, console)
        }
        return .done
    }

    private func entities(of store: OpenedStore) throws -> [Entity] {
        let context = try store.context()
        return try context.performAndWait {
            try store.model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }.map { entity in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                return Entity(
                    name: entity.name ?? "", parent: entity.superentity?.name, isAbstract: entity.isAbstract,
                    count: entity.isAbstract ? 0 : try store.reading { try context.count(for: request) },
                    indexes: entity.indexes.map(\.name))
            }
        }
    }

    private func facts(_ store: OpenedStore) -> [(key: String, title: String, value: String?)] {
        let metadata = store.metadata
        let framework = (metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.stringValue
        let identifiers = (metadata[NSStoreModelVersionIdentifiersKey] as? [Any])?.map { "\($0)" }.joined(
            separator: ", ")
        return [
            ("kind", "kind", store.address.type),
            ("identifier", "identifier", metadata[NSStoreUUIDKey] as? String),
            ("frameworkVersion", "written by", framework.map { "framework version \($0)" }),
            ("versionIdentifiers", "versions", identifiers.flatMap { $0.isEmpty ? nil : $0 }),
            ("checksum", "checksum", metadata[NSPersistentStoreModelVersionChecksumKey] as? String),
            ("model", "model", Self.origin(store.origin)),
        ]
    }

    private static func origin(_ origin: OpenedStore.ModelOrigin) -> String {
        switch origin {
        case .archived: "lies in the store"
        case .given(let version): "given: version '\(version)'"
        case .beside(let place): place
        }
    }

    private func json(_ store: OpenedStore, _ entities: [Entity]) -> JSON {
        .object(
            [("store", .string(store.shown))] + facts(store).map { ($0.key, $0.value.map(JSON.string) ?? .null) }
                + [
                    (
                        "entities",
                        .array(
                            entities.map { entity in
                                .object([
                                    ("name", .string(entity.name)), ("parent", entity.parent.map(JSON.string) ?? .null),
                                    ("isAbstract", .bool(entity.isAbstract)), ("count", .integer(Int64(entity.count))),
                                    ("indexes", .array(entity.indexes.map(JSON.string))),
                                ])
                            })
                    )
                ])
    }

    private func text(_ store: OpenedStore, _ entities: [Entity], _ console: Console) throws {
        try console.line(console.styled(store.shown, .bold))
        for fact in facts(store) {
            guard let value = fact.value else { continue }
            try console.line("  \(TextWidth.padded(fact.title, to: 12))\(value)")
        }
        try console.line()
        var table = Table(
            [.init("entity"), .init("objects", isNumber: true), .init("parent"), .init("indexes")], on: console)
        for entity in entities {
            try table.add([
                entity.name, entity.isAbstract ? "abstract" : "\(entity.count)", entity.parent ?? "",
                entity.indexes.joined(separator: ", "),
            ])
        }
        try table.finish()
    }
}
