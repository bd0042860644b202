import CoreData
import CoreDataTool
import Foundation
import TestSupport
import Testing

@testable import SwiftData

// Whole stores beside what `coredata export` and `coredata history` say of them, and beside their own tables.
extension SwiftDataStoreTests {
    /// The lines of JSON that a command of the tool prints.
    private func lines(_ arguments: String...) throws -> [[String: Any]] {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("output")
            try Data().write(to: url)
            let output = try FileHandle(forWritingTo: url)
            #expect(Tool.run(arguments, Console(output: output.fileDescriptor)) == 0)
            return try Data(contentsOf: url).split(separator: UInt8(ascii: "\n")).map { line in
                try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            }
        }
    }

    private func withContext(
        _ original: OriginalStore, body: (ModelContext, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = try Corpus.copyStore(original.path, to: folder)
            let container = try ModelContainer(for: original.schema, configurations: ModelConfiguration(url: url))
            try body(ModelContext(container), url)
        }
    }

    @Test("Rows, values, composites and links are those of the export", arguments: OriginalStore.all)
    func contents(_ original: OriginalStore) throws {
        try withContext(original) { context, url in
            let exported = try lines("export", url.path).dropFirst()
            var differing: [String] = []
            var waiting = Dictionary(uniqueKeysWithValues: exported.map { ("\($0["@id"] ?? "")", $0) })
            for type in context.container.schema.types {
                for model in try all(of: type, in: context) {
                    let found = waiting.removeValue(forKey: name(of: model))
                    let line = try #require(found)
                    var keys = Set(line.keys).subtracting(["@id"])
                    for property in Swift.type(of: model).schemaMetadata where !isEphemeral(property) {
                        guard let keyPath = property.keypath else { continue }
                        keys.remove(property.name)
                        let value = try #require((model as Any)[keyPath: keyPath])
                        if agrees(value, line[property.name], property.name) { continue }
                        differing.append("\(name(of: model)).\(property.name) is \(value)")
                    }
                    #expect(keys.isEmpty)
                }
            }
            #expect(waiting.isEmpty)
            #expect(differing.isEmpty, "\(differing.prefix(3))")
        }
    }

    private func all<Model: PersistentModel>(
        of type: Model.Type, in context: ModelContext
    ) throws -> [any PersistentModel] { try context.fetch(FetchDescriptor<Model>()) }

    private func name(of model: any PersistentModel) -> String {
        "\(model.persistentModelID.entityName)/\(key(of: model))"
    }

    /// The primary key of a model's row.
    private func key(of model: any PersistentModel) -> String {
        String(model.managedObject.objectID.uriRepresentation().lastPathComponent.dropFirst())
    }

    private func isEphemeral(_ property: Schema.PropertyMetadata) -> Bool {
        (property.metadata as? Schema.Attribute)?.isTransient == true
    }

    /// Whether a value of a property is what a line has for it.
    private func agrees(_ value: Any, _ exported: Any?, _ name: String) -> Bool {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { agrees($0.value, exported, name) } ?? (exported == nil)
        }
        switch value {
        case let model as any PersistentModel: return exported as? String == self.name(of: model)
        case let models as [any PersistentModel]:
            return Set(models.map(self.name)) == Set(exported as? [String] ?? [])
        case let colour as Colour: return exported as? String == colour.data.base64EncodedString()
        case let date as Date: return exported as? Double == date.timeIntervalSinceReferenceDate
        case let id as UUID: return exported as? String == id.uuidString
        case let number as Decimal: return exported as? String == "\(number)"
        case let number as Float: return (exported as? NSNumber)?.floatValue == number
        case let text as String: return exported as? String == text
        case let value as any RawRepresentable:
            return (exported as? [String: Any]).map { agrees(value.rawValue, $0[name], name) } ?? false
        case let list as any Encodable where mirror.displayStyle == .collection: return isJSON(list, exported)
        default: break
        }
        if let number = value as? NSNumber ?? (value as? Int16).map({ NSNumber(value: $0) }) {
            return exported as? NSNumber == number
        }
        let fields = exported as? [String: Any] ?? [:]
        if mirror.displayStyle == .enum { return fields as? [String: String] == ["\(value)": "\(value)"] }
        return mirror.displayStyle == .struct && !mirror.children.isEmpty
            && Set(fields.keys).isSubset(of: Set(mirror.children.compactMap(\.label)))
            && mirror.children.allSatisfy { field in
                field.label.map { agrees(field.value, fields[$0], $0) } ?? false
            }
    }

    /// Whether bytes of an export are the JSON of a value.
    private func isJSON(_ value: any Encodable, _ exported: Any?) -> Bool {
        guard let bytes = (exported as? String).flatMap({ Data(base64Encoded: $0) }),
            let theirs = try? JSONSerialization.jsonObject(with: bytes) as? NSArray,
            let own = try? JSONEncoder().encode(value)
        else { return false }
        return theirs.isEqual(try? JSONSerialization.jsonObject(with: own))
    }

    // MARK: History

    @Test("The history is that of the file, and a save adds its own transaction", arguments: OriginalStore.all)
    func history(_ original: OriginalStore) throws {
        try withContext(original) { context, url in
            let before = try lines("history", "--json", url.path)
            #expect(try transactions(context) == before.map { transaction(of: $0) })
            context.author = "tests"
            let changed = try original.change(context)
            try context.save()
            let after = try lines("history", "--json", url.path)
            #expect(after.dropLast().elementsEqual(before) { NSDictionary(dictionary: $0).isEqual(to: $1) })
            let last = try #require(after.last)
            #expect(last["author"] as? String == "tests")
            let changes = try #require(last["changes"] as? [[String: Any]])
            #expect(changes.compactMap { $0["object"] as? String } == [name(of: changed)])
            let (own, theirs) = (try transactions(context).last, transaction(of: last))
            #expect(own == theirs)
        }
    }

    /// A transaction as a line: number, author, process, and the changes in any order.
    private func transaction(of line: [String: Any]) -> String {
        let changes = (line["changes"] as? [[String: Any]] ?? []).map {
            "\($0["type"] ?? "") \($0["object"] ?? "") \(($0["properties"] as? [String] ?? []).sorted())"
        }
        func text(_ key: String) -> String { line[key] as? String ?? "" }
        return "\(line["transaction"] ?? "") \(text("author")) \(text("context")) \(text("program")) "
            + "\(text("process")) \(changes.sorted())"
    }

    private func transactions(_ context: ModelContext) throws -> [String] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.managedObjectContext.execute(request) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        return transactions.map { transaction in
            let changes = (transaction.changes ?? []).map { change -> String in
                let key = change.changedObjectID.uriRepresentation().lastPathComponent.dropFirst()
                let kind =
                    switch change.changeType {
                    case .insert: "insert"
                    case .update: "update"
                    case .delete: "delete"
                    @unknown default: "?"
                    }
                let properties = (change.updatedProperties ?? []).map(\.name).sorted()
                return "\(kind) \(change.changedObjectID.entity.name ?? "")/\(key) \(properties)"
            }
            return "\(transaction.transactionNumber) \(transaction.author ?? "") \(transaction.contextName ?? "") "
                + "\(transaction.bundleID) \(transaction.processID) \(changes.sorted())"
        }
    }

    // MARK: Tables

    @Test("A save changes the saved row, and nothing else but the history", arguments: OriginalStore.all)
    func oneRow(_ original: OriginalStore) throws {
        try withContext(original) { context, url in
            let before = try tables(url)
            let changed = try original.change(context)
            try context.save()
            let after = try tables(url)
            #expect(before.keys == after.keys)
            let table = "Z" + changed.persistentModelID.entityName.uppercased()
            for (name, rows) in after where !["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name) {
                let old = before[name] ?? [:]
                let differing = Set(rows.keys).union(old.keys).filter { rows[$0] != old[$0] }
                let isOfHistory = { (row: String) in name == "Z_PRIMARYKEY" && row >= "16001" && row.count == 5 }
                if name == table {
                    #expect(differing == [key(of: changed)])
                } else if name == "Z_PRIMARYKEY", before[table]?.isEmpty == true {
                    // The first row of an empty table takes the first key.
                    #expect(differing.filter { !isOfHistory($0) }.count == 1)
                } else {
                    #expect(differing.filter { !isOfHistory($0) }.isEmpty, "\(name)")
                }
            }
            for name in ["ACHANGE", "ATRANSACTION"] {
                let (old, new) = (before[name] ?? [:], after[name] ?? [:])
                #expect(old.allSatisfy { new[$0] == $1 } && new.count == old.count + 1, "\(name)")
            }
            let (old, new) = (before[table]?[key(of: changed)], after[table]?[key(of: changed)])
            if let old, let new { expectOneChange(old, new) }
        }
    }

    /// One column of a row has changed, and the row's count of changes has grown by one.
    private func expectOneChange(_ old: [RawDatabase.Value], _ new: [RawDatabase.Value]) {
        let places = old.indices.filter { old[$0] != new[$0] }
        #expect(places.count == 2 && places.first == 2)
        #expect(new[2].int == (old[2].int ?? 0) + 1)
    }

    /// All rows of all tables by their keys.
    private func tables(_ url: URL) throws -> [String: [String: [RawDatabase.Value]]] {
        let database = try RawDatabase(url)
        var result: [String: [String: [RawDatabase.Value]]] = [:]
        for table in database.tables {
            let rows = try database.rows("SELECT rowid, * FROM \"\(table)\"")
            result[table] = Dictionary(
                uniqueKeysWithValues: rows.map { row in ("\(row[0].int ?? 0)", Array(row.dropFirst())) })
        }
        return result
    }
}
