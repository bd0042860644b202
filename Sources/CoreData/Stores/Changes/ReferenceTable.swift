import Foundation

/// The keys that stand for the records of a custom store.
///
/// Such a store identifies its records by any values, its reference objects. All code above the stores works with
/// numbers. For each entity the table gives a number to every new reference. All stores of the process with one
/// identifier share a table, so that two ids of one record are equal, whichever coordinators made them.
final class ReferenceTable: @unchecked Sendable {  // `entries` and `keys` are used under `lock` only
    struct Entry {
        let entity: String
        /// The text that distinguishes the references of an entity. It is part of an id's URI.
        let text: String
        /// The reference as the store gave it.
        fileprivate(set) var reference: Any
    }

    private let lock = NSLock()
    /// The entry of the primary key n is at n - 1.
    private var entries: [Entry] = []
    private var keys: [String: [String: Int64]] = [:]

    /// The primary key of a reference. A reference that is not in the table gets a new key.
    func primaryKey(of reference: Any, entity: String) -> Int64 {
        let text = Self.text(of: reference)
        return lock.withLock {
            if let known = keys[entity]?[text] {
                // A reference that was read from a URI may be a number although the store has a string.
                entries[Int(known) - 1].reference = reference
                return known
            }
            return add(Entry(entity: entity, text: text, reference: reference))
        }
    }

    /// The primary key for the text of a URI. As on a Mac, the text of a number becomes a number.
    func primaryKey(ofText text: String, entity: String) -> Int64 {
        lock.withLock {
            if let known = keys[entity]?[text] { return known }
            let reference: Any = Int64(text).map { NSNumber(value: $0) } ?? text
            return add(Entry(entity: entity, text: text, reference: reference))
        }
    }

    /// The entry of a primary key; nil if there is none.
    func entry(for primaryKey: Int64) -> Entry? {
        lock.withLock {
            primaryKey > 0 && primaryKey <= Int64(entries.count) ? entries[Int(primaryKey) - 1] : nil
        }
    }

    /// Gives a primary key another reference. Ids of the key keep their identity.
    ///
    /// - Returns: Whether the reference was free.
    func replace(_ primaryKey: Int64, by reference: Any) -> Bool {
        let text = Self.text(of: reference)
        return lock.withLock {
            guard primaryKey > 0, primaryKey <= Int64(entries.count) else { return false }
            let former = entries[Int(primaryKey) - 1]
            if let known = keys[former.entity]?[text] { return known == primaryKey }
            keys[former.entity]?[former.text] = nil
            keys[former.entity]?[text] = primaryKey
            entries[Int(primaryKey) - 1] = Entry(entity: former.entity, text: text, reference: reference)
            return true
        }
    }

    private func add(_ entry: Entry) -> Int64 {
        entries.append(entry)
        let key = Int64(entries.count)
        keys[entry.entity, default: [:]][entry.text] = key
        return key
    }

    static func text(of reference: Any) -> String {
        switch reference {
        case let text as String: text
        case let uuid as UUID: uuid.uuidString
        case let url as URL: url.absoluteString
        case let data as Data: data.base64EncodedString()
        case let number as NSNumber: number.stringValue
        default: "\(reference)"
        }
    }

    // MARK: Sharing

    private struct WeakTable {
        weak var table: ReferenceTable?
    }

    private static let registry = Locked<[String: WeakTable]>([:])

    /// The table of the stores with an identifier. It exists as long as one of the stores or of their ids.
    static func shared(identifier: String) -> ReferenceTable {
        registry.withLock { tables in
            if let known = tables[identifier]?.table { return known }
            tables = tables.filter { $0.value.table != nil }
            let table = ReferenceTable()
            tables[identifier] = WeakTable(table: table)
            return table
        }
    }
}
