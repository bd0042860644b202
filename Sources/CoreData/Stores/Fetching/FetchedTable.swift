import Foundation

/// The results of a fetch of dictionaries. A row without keys becomes its dictionary at once. Keys become object ids
/// first.
package struct FetchedTable {
    /// A key of a row, in the place of the id that the coordinator makes of it.
    package final class Key: Sendable {
        package let key: ObjectKey
        package init(_ key: ObjectKey) { self.key = key }
    }

    /// The number of columns.
    private let width: Int
    /// The places of the columns whose values are keys (`Key`), and later object ids.
    private let keyPlaces: [Int]
    private let maker: RowDictionaries
    /// The rows of a table without keys.
    private var rows: [NSDictionary] = []
    /// One value per column for each row of a table with keys.
    private var values: [AnyObject?] = []

    /// - Parameters:
    ///   - names: The names of the columns.
    ///   - keyPlaces: The places of the names whose values are keys.
    package init(names: [String], keyPlaces: [Int]) {
        width = names.count
        self.keyPlaces = keyPlaces
        maker = RowDictionaries(names: names)
    }

    /// Appends a row.
    ///
    /// - Parameter value: returns the value of a column in the form in which `NSDictionary` holds it; nil if the row
    ///   has none.
    @inline(__always)
    package mutating func appendRow(_ value: (_ place: Int) throws -> AnyObject?) rethrows {
        if keyPlaces.isEmpty {
            rows.append(try maker.dictionary(value))
        } else {
            for place in 0..<width { values.append(try value(place)) }
        }
    }

    /// Replaces the keys of a column by other keys.
    mutating func mapKeys(at place: Int, _ body: (ObjectKey) throws -> ObjectKey) rethrows {
        for index in stride(from: place, to: values.count, by: width) {
            if let key = values[index] as? Key { values[index] = Key(try body(key.key)) }
        }
    }

    /// Replaces keys by object ids.
    mutating func replaceKeys(_ id: (ObjectKey) -> NSManagedObjectID) {
        for place in keyPlaces {
            for index in stride(from: place, to: values.count, by: width) {
                if let key = values[index] as? Key { values[index] = id(key.key) }
            }
        }
    }

    /// The rows as dictionaries, which share the objects of their keys.
    var dictionaries: [NSDictionary] {
        if keyPlaces.isEmpty { return rows }
        return stride(from: 0, to: values.count, by: width).map { start in
            maker.dictionary { values[start + $0] }
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
