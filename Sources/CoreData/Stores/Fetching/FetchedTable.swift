import Foundation

/// The results of a fetch of dictionaries, before the dictionaries are made: the names once, and the values row by row.
package struct FetchedTable {
    /// A key of a row, in the place of the id that the coordinator makes of it.
    package final class Key: Sendable {
        package let key: ObjectKey
        package init(_ key: ObjectKey) { self.key = key }
    }

    /// The names of the columns.
    package let names: [String]
    /// The places of the names whose values are keys (`Key`), and later object ids.
    package let keyPlaces: [Int]
    /// One value per name for each row, in the form in which `NSDictionary` holds it; nil if a row has none.
    package private(set) var values: [AnyObject?] = []

    package init(names: [String], keyPlaces: [Int]) {
        self.names = names
        self.keyPlaces = keyPlaces
    }

    package mutating func append(_ value: AnyObject?) { values.append(value) }

    /// Replaces the keys of a column by other keys.
    mutating func mapKeys(at place: Int, _ body: (ObjectKey) throws -> ObjectKey) rethrows {
        for index in stride(from: place, to: values.count, by: names.count) {
            if let key = values[index] as? Key { values[index] = Key(try body(key.key)) }
        }
    }

    /// Replaces keys by object ids.
    mutating func replaceKeys(_ id: (ObjectKey) -> NSManagedObjectID) {
        for place in keyPlaces {
            for index in stride(from: place, to: values.count, by: names.count) {
                if let key = values[index] as? Key { values[index] = id(key.key) }
            }
        }
    }

    /// The rows as dictionaries, which share the objects of their keys.
    var dictionaries: [NSDictionary] {
        let width = names.count
        if width == 0 { return [] }
        let names = names.map { $0 as NSString as NSObject }
        return values.withUnsafeBufferPointer { values in
            names.withUnsafeBufferPointer { names in
                stride(from: 0, to: values.count, by: width).map { start in
                    let row = UnsafeBufferPointer(rebasing: values[start..<start + width])
                    guard let first = row.baseAddress, let key = names.baseAddress, !row.contains(where: { $0 == nil })
                    else { return Self.dictionary(ofSome: row, names) }
                    // No value is nil here, and a non-nil optional reference has the memory layout of a reference.
                    return first.withMemoryRebound(to: AnyObject.self, capacity: width) {
                        NSDictionary(objects: $0, forKeys: key, count: width)
                    }
                }
            }
        }
    }

    /// A dictionary of a row of which some values are missing.
    private static func dictionary(
        ofSome row: UnsafeBufferPointer<AnyObject?>, _ names: UnsafeBufferPointer<NSObject>
    ) -> NSDictionary {
        var keys: [NSObject] = []
        var objects: [AnyObject] = []
        for (name, value) in zip(names, row) {
            guard let value else { continue }
            keys.append(name)
            objects.append(value)
        }
        return objects.withUnsafeBufferPointer { objects in
            keys.withUnsafeBufferPointer { keys in
                // An empty array has no base address.
                guard let first = objects.baseAddress, let key = keys.baseAddress else { return NSDictionary() }
                return NSDictionary(objects: first, forKeys: key, count: objects.count)
            }
        }
    }
}

/// The dictionaries of a fetch, in the form in which a store hands them to a context.
package enum FetchedDictionaries {
    case dictionaries([[String: Any]])
    case table(FetchedTable)

    /// The dictionaries in the form that a program gets.
    var objects: [NSDictionary] {
        switch self {
        case .dictionaries(let rows): rows.map { $0 as NSDictionary }
        case .table(let table): table.dictionaries
        }
    }
}
