import CoreData
import Foundation

/// The report of `coredata info`.
struct StoreReport {
    struct Entity {
        let name: String
        let parent: String?
        let isAbstract: Bool
        let count: Int
        /// Nil if the entity has no table of its own, or its table was not measured.
        let bytes: Int64?
        let indexes: [String]
    }

    let store: ResolvedStore
    let files: StoreFiles?
    let inspection: StoreInspection
    let entities: [Entity]

    var isDamaged: Bool { !(inspection.damage ?? []).isEmpty }

    // MARK: Text

    private static let linesOfDamage = 10

    func write(to console: Console) throws {
        try console.line(console.styled(Table.onOneLine(store.shown), .bold))
        try Self.write(facts, to: console)
        for line in (inspection.damage ?? []).prefix(Self.linesOfDamage) {
            try console.line("    \(console.styled(Table.onOneLine(line), .red))")
        }
        try console.line()
        let hasSizes = entities.contains { $0.bytes != nil }
        var table = Table(
            [.init("entity"), .init("objects", isNumber: true)] + (hasSizes ? [.init("size", isNumber: true)] : [])
                + [.init("parent"), .init("indexes")], on: console)
        for entity in entities {
            try table.add(
                [entity.name, entity.isAbstract ? "abstract" : "\(entity.count)"]
                    + (hasSizes ? [entity.bytes.map(Measure.bytes) ?? ""] : [])
                    + [entity.parent ?? "", entity.indexes.joined(separator: ", ")])
        }
        try table.finish()
    }

    static func write(_ facts: [(title: String, value: String?)], to console: Console) throws {
        for (title, value) in facts {
            guard let value else { continue }
            try console.line("  \(TextWidth.padded(title, to: 12))\(Table.onOneLine(value))")
        }
    }

    private var facts: [(title: String, value: String?)] {
        StoreMetadata(store.metadata).facts(kind: store.address.type) + [
            ("model", origin),
            ("size", files.map { Measure.bytes($0.bytes) }),
            ("-wal", files?.log.map(Self.text)),
            (
                "external",
                files?.external.map { "\(Self.count($0.count, "file")), \(Measure.bytes($0.bytes)), in \($0.path)" }
            ),
            ("history", history),
            ("CloudKit", inspection.mirror.map { "mirrors the store: \($0)" }),
            ("state", state),
        ]
    }

    private static func text(_ log: StoreFiles.Log) -> String {
        let size = Measure.bytes(log.bytes)
        switch log.pendingPages {
        case nil: return size
        case 0?: return "\(size), all of it is in the main file"
        case let pages?: return "\(size), \(count(pages, "page")) not checkpointed"
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private var history: String? {
        guard let history = inspection.history else { return store.address.isInTables ? "off" : nil }
        guard let first = history.first, let last = history.last else { return "on, no transactions" }
        return "on, \(Self.count(history.transactionCount, "transaction")), \(DateText.iso(first)) to "
            + DateText.iso(last) + (inspection.historySize.map { ", \(Measure.bytes($0))" } ?? "")
            + (inspection.hasLargeHistory ? ": larger than the data, see deleteHistory(before:)" : "")
    }

    private var state: String? {
        guard let damage = inspection.damage else {
            return store.address.type == NSSQLiteStoreType ? "not looked at (--check)" : nil
        }
        return damage.isEmpty ? "whole" : "damaged"
    }

    // MARK: Metadata

    private var origin: String {
        switch store.origin {
        case .archived: "in the store"
        case .given(let version): "given: version '\(version)'"
        case .beside(let place): place
        }
    }

    // MARK: JSON

    var json: JSON {
        let metadata = StoreMetadata(store.metadata).members(kind: store.address.type)
        return .object(
            [("store", .string(store.shown))] + metadata + [
                ("model", .string(origin)), ("bytes", .optional(files?.bytes)),
                (
                    "log",
                    files?.log.map {
                        .object([("bytes", .integer($0.bytes)), ("pendingPages", .optional($0.pendingPages))])
                    } ?? .null
                ),
                (
                    "external",
                    files?.external.map {
                        .object([
                            ("path", .string($0.path)), ("files", .integer(Int64($0.count))),
                            ("bytes", .integer($0.bytes)),
                        ])
                    } ?? .null
                ),
                (
                    "history",
                    inspection.history.map {
                        .object([
                            ("transactions", .integer(Int64($0.transactionCount))),
                            ("first", .optional($0.first.map(DateText.iso))),
                            ("last", .optional($0.last.map(DateText.iso))),
                            ("bytes", .optional(inspection.historySize)),
                        ])
                    } ?? .null
                ),
                ("mirror", MirrorText.json(inspection.mirror)),
                ("damage", inspection.damage.map { .array($0.map(JSON.string)) } ?? .null),
                ("entities", .array(entities.map(json))),
            ])
    }

    private func json(_ entity: Entity) -> JSON {
        .object([
            ("name", .string(entity.name)), ("parent", .optional(entity.parent)),
            ("isAbstract", .bool(entity.isAbstract)),
            ("count", .integer(Int64(entity.count))), ("bytes", .optional(entity.bytes)),
            ("indexes", .array(entity.indexes.map(JSON.string))),
        ])
    }

}
