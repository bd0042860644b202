import CoreData
import Foundation

/// `coredata info`: the kind and the content of a store.
package struct InfoCommand: Command {
    package static let page = CommandPage(
        "info", "print what a store is and what it contains",
        operands: [.store],
        discussion: [
            "The number of objects is that of an entity without its subentities. Sizes are those of tables with their "
                + "indexes: an entity without a parent has its own objects and those of its subentities in one.",
            "A file of up to 16 MB is checked for damage, and its entities are measured; a larger one with --check.",
        ],
        options: [
            Option("check", "check every page of a large file, too: sizes of entities, and damage"), .model, .json,
        ],
        examples: [
            .init("coredata info Library.sqlite", "kind, model, history, entities and how many objects each has"),
            .init("coredata info Library.sqlite --json | jq .entities", "the entities for a script"),
        ],
        found: "the store is damaged")

    /// The size of the largest file that is checked as a whole without the option `--check`.
    private static let largestWithoutAsking: Int64 = 16 << 20

    private let store: String
    private let model: String?
    private let isJSON: Bool
    private let isChecked: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
        isChecked = arguments.has("check")
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store: ResolvedStore
        do {
            store = try ResolvedStore(self.store, model: model)
        } catch let error as ToolError where error.isOfMissingModel {
            try writeWithoutModel(console)
            throw error
        }
        let files = StoreFiles(store.url)
        let context = try store.context()
        let parts: StoreInspection.Parts =
            isChecked || (files.map { $0.bytes + ($0.log?.bytes ?? 0) <= Self.largestWithoutAsking } ?? false)
            ? [.history, .mirror, .sizes, .damage] : files == nil ? [.history, .sizes] : [.history, .mirror]
        let inspection = try store.reading {
            try context.persistentStoreCoordinator.flatMap { coordinator in
                try coordinator.persistentStores.first.map { try coordinator.inspect($0, for: parts) }
            } ?? StoreInspection()
        }
        let report = StoreReport(
            store: store, files: files, inspection: inspection, entities: try entities(of: store, context, inspection))
        if isJSON { try console.write(report.json) } else { try report.write(to: console) }
        return report.isDamaged ? .found : .done
    }

    /// Prints the facts of a store whose model was not found.
    private func writeWithoutModel(_ console: Console) throws {
        let address = try StoreAddress(store)
        let metadata = StoreMetadata(try address.metadata())
        guard !isJSON else {
            return try console.write(
                .object(
                    [("store", .string(address.shown))] + metadata.members(kind: address.type) + [
                        ("model", .null),
                        (
                            "entities",
                            .array(
                                metadata.entityHashes.map { name, hash in
                                    .object([("name", .string(name)), ("hash", .string(hash.base64EncodedString()))])
                                })
                        ),
                    ]))
        }
        try console.line(console.styled(Table.onOneLine(address.shown), .bold))
        try StoreReport.write(metadata.facts(kind: address.type) + [("model", "not found")], to: console)
        try console.line()
        var table = Table([.init("entity"), .init("version hash")], on: console)
        for (name, hash) in metadata.entityHashes { try table.add([name, hash.base64EncodedString()]) }
        try table.finish()
    }

    private func entities(
        of store: ResolvedStore, _ context: NSManagedObjectContext, _ inspection: StoreInspection
    ) throws -> [StoreReport.Entity] {
        try context.performAndWait {
            try store.model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }.map { entity in
                let name = entity.name ?? ""
                return StoreReport.Entity(
                    name: name, parent: entity.superentity?.name, isAbstract: entity.isAbstract,
                    count: try store.ownCount(of: entity, context),
                    bytes: inspection.entitySizes[name], indexes: entity.indexes.map(\.name))
            }
        }
    }
}
