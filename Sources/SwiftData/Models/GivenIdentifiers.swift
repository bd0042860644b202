import CSwiftRuntime
import CoreData
import Foundation
import Synchronization

/// The temporary identifiers that programs have got, and the rows to which they lead after the save.
///
/// A set or a dictionary finds a value only if its hash stays as it was. So the permanent identifier of a row hashes as
/// the temporary one did, if a program has got that one. An entry stays as long as the process runs, because any
/// collection may have the identifier.
enum GivenIdentifiers {
    /// A new model whose identifier a program has got. The core takes itself out at its end.
    private struct Given {
        let core: UnsafeMutableRawPointer
        let id: NSManagedObjectID
        /// The context, which a save compares. Another thread may use the core, so a save does not ask it.
        let context: ObjectIdentifier?

        /// The core, unless it is ending.
        var living: _ModelCore? {
            guard opencoredata_try_retain(core) != nil else { return nil }
            return Unmanaged<_ModelCore>.fromOpaque(core).takeRetainedValue()
        }
    }

    private struct Row {
        let id: NSManagedObjectID
        let temporary: Int
    }

    private struct Tables {
        var given: [ObjectIdentifier: Given] = [:]
        /// The permanent ids by the numbers of the temporary ones.
        var permanent: [Int: NSManagedObjectID] = [:]
        /// The rows that hash as their temporary ids did, by the numbers of the permanent ones.
        var rows: [Int: [Row]] = [:]
        /// The rows that new models have become, by the numbers of the temporary ids of these. The rows have hashes of
        /// their own.
        var taken: [Int: NSManagedObjectID] = [:]
    }

    private static let tables = Locked(Tables())
    private static let hasGiven = Atomic(false)
    private static let hasRows = Atomic(false)

    // MARK: Before and after the save

    /// Notes a new model, and notes it again when a context gets it.
    static func note(_ core: _ModelCore, _ id: NSManagedObjectID) {
        let given = Given(
            core: Unmanaged.passUnretained(core).toOpaque(), id: id,
            context: core.modelContext.map(ObjectIdentifier.init))
        tables.withLock { $0.given[ObjectIdentifier(core)] = given }
        hasGiven.store(true, ordering: .releasing)
    }

    /// Forgets a core that ends.
    static func forget(_ core: _ModelCore) {
        tables.withLock { tables in
            tables.given[ObjectIdentifier(core)] = nil
            if tables.given.isEmpty { hasGiven.store(false, ordering: .releasing) }
        }
    }

    /// The noted new models of a context.
    static func cores(of context: ModelContext) -> [_ModelCore] {
        guard hasGiven.load(ordering: .acquiring) else { return [] }
        let context = ObjectIdentifier(context)
        return tables.withLock { tables in
            tables.given.values.compactMap { $0.context == context ? $0.living : nil }
        }
    }

    /// The temporary id that a text names, if its model has not been saved and has not ended.
    static func id(of text: PersistentIdentifier.Text) -> NSManagedObjectID? {
        guard text.isTemporary, let number = text.number, hasGiven.load(ordering: .acquiring) else { return nil }
        let ids = tables.withLock { tables in tables.given.values.compactMap { $0.id.hash == number ? $0.id : nil } }
        return ids.first { PersistentIdentifier.Text($0) == text }
    }

    /// Notes the rows of models that have a permanent id now.
    static func settle(_ cores: [_ModelCore]) {
        for core in cores {
            let id = core.objectID
            if id.isTemporaryID { continue }
            tables.withLock { tables in
                guard let given = tables.given.removeValue(forKey: ObjectIdentifier(core)) else { return }
                tables.permanent[given.id.hash] = id
                tables.rows[base(id), default: []].append(Row(id: id, temporary: given.id.hash))
            }
            hasRows.store(true, ordering: .releasing)
        }
    }

    /// Lets the temporary id of a new model lead to the row that it becomes.
    static func replace(_ core: _ModelCore, by winner: _ModelCore) {
        let (own, row) = (core.objectID, winner.objectID)
        tables.withLock { tables in
            if let given = tables.given.removeValue(forKey: ObjectIdentifier(core)) {
                tables.taken[given.id.hash] = row
            } else if let place = tables.rows[base(own)]?.firstIndex(where: { $0.id.isEqual(own) }),
                let former = tables.rows[base(own)]?.remove(at: place)
            {
                // The save had reserved a number for the model.
                tables.permanent[former.temporary] = nil
                tables.taken[former.temporary] = row
            }
        }
        hasRows.store(true, ordering: .releasing)
    }

    // MARK: Identifiers

    /// The permanent id to which a temporary one has come; any other id as it is.
    static func present(_ id: NSManagedObjectID) -> NSManagedObjectID {
        guard id.isTemporaryID, hasRows.load(ordering: .acquiring) else { return id }
        return tables.withLock { $0.permanent[id.hash] } ?? id
    }

    /// The row to which a temporary id leads: that of its model, or the one that its model has become.
    static func row(of id: NSManagedObjectID) -> NSManagedObjectID {
        guard id.isTemporaryID, hasRows.load(ordering: .acquiring) else { return id }
        return tables.withLock { $0.permanent[id.hash] ?? $0.taken[id.hash] } ?? id
    }

    /// The number of an id. Where a program's store has a text in place of one, it is the hash of that text.
    private static func base(_ id: NSManagedObjectID) -> Int {
        CustomRows.of(id).map { base($0.text(of: id)) } ?? id.hash
    }

    private static func base(_ text: PersistentIdentifier.Text) -> Int { text.number ?? text.primaryKey.hashValue }

    /// The number by which an id hashes: that of the temporary id, if a program has got that one.
    static func number(of id: NSManagedObjectID) -> Int {
        let number = base(id)
        guard !id.isTemporaryID, hasRows.load(ordering: .acquiring),
            let rows = tables.withLock({ $0.rows[number] })
        else { return number }
        return rows.first { $0.id.isEqual(id) || PersistentIdentifier.isSameRow($0.id, id) }?.temporary ?? number
    }

    /// The number by which an identifier of no container hashes.
    static func number(of text: PersistentIdentifier.Text) -> Int {
        let number = base(text)
        guard !text.isTemporary, hasRows.load(ordering: .acquiring),
            let rows = tables.withLock({ $0.rows[number] })
        else { return number }
        return rows.first { PersistentIdentifier.Text($0.id) == text }?.temporary ?? number
    }
}
