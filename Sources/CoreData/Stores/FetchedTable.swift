import Foundation

/// The results of a fetch of dictionaries, as long as nobody looks into the dictionaries: the names once, the values
/// row by row.
package struct FetchedTable {
    /// A key of a row in the place of its id, which the coordinator makes.
    package final class Key: Sendable {
        package let key: ObjectKey
        package init(_ key: ObjectKey) { self.key = key }
    }

    /// Each name once.
    package let names: [String]
    /// The places of the names whose values are keys (`Key`), and later ids.
    package let keyPlaces: [Int]
    /// As many for each row as there are names, in the form that `NSDictionary` holds them; nil where a row has none.
    package private(set) var values: [AnyObject?] = []

    package init(names: [String], keyPlaces: [Int]) {
        self.names = names
        self.keyPlaces = keyPlaces
    }

    package mutating func append(_ value: AnyObject?) { values.append(value) }

    /// Puts other keys in the place of those of a column.
    mutating func mapKeys(at place: Int, _ body: (ObjectKey) throws -> ObjectKey) rethrows {
        for index in stride(from: place, to: values.count, by: names.count) {
            if let key = values[index] as? Key { values[index] = Key(try body(key.key)) }
        }
    }

    /// Puts ids in the places of keys.
    mutating func replaceKeys(_ id: (ObjectKey) -> NSManagedObjectID) {
        for place in keyPlaces {
            for index in stride(from: place, to: values.count, by: names.count) {
                if let key = values[index] as? Key { values[index] = id(key.key) }
            }
        }
    }

    /// The rows as dictionaries. They have the objects of their keys in common.
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
                    // References that are there lie in memory as optional ones do.
                    return first.withMemoryRebound(to: AnyObject.self, capacity: width) {
                        NSDictionary(objects: $0, forKeys: key, count: width)
                    }
                }
            }
        }
    }

    /// A row of which some values are missing.
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
                // Arrays without elements have no address.
                guard let first = objects.baseAddress, let key = keys.baseAddress else { return NSDictionary() }
                return NSDictionary(objects: first, forKeys: key, count: objects.count)
            }
        }
    }
}

/// The dictionaries of a fetch on their way to a context.
package enum FetchedDictionaries {
    case dictionaries([[String: Any]])
    case table(FetchedTable)

    /// As a program gets them.
    var objects: [NSDictionary] {
        switch self {
        case .dictionaries(let rows): rows.map { $0 as NSDictionary }
        case .table(let table): table.dictionaries
        }
    }
}
