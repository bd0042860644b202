import Foundation

/// Makes the dictionaries of rows that have the same columns. One thread uses it.
///
/// The names of the columns are hashed once for all rows with values in the same columns. The dictionaries share the
/// objects of the names.
final class RowDictionaries {
    private let names: [NSObject]
    /// The values of one row, by the places of the columns. All are nil between two rows.
    private let values: UnsafeMutablePointer<AnyObject?>
    /// For columns that have values, as bits: the place of the column of each name.
    private var places: [UInt64: [NSObject: Int]] = [:]
    /// The columns of the latest row, and their places.
    private var latest: (columns: UInt64, places: [NSObject: Int]) = (0, [:])
    /// Whether the columns fit into the bits of a number, and dictionaries can be made of their content.
    private let copiesPlaces: Bool

    init(names: [String]) {
        self.names = names.map { $0 as NSString as NSObject }
        values = .allocate(capacity: names.count)
        values.initialize(repeating: nil, count: names.count)
        copiesPlaces = names.count <= UInt64.bitWidth && DictionaryContent.isKnown
    }

    deinit {
        values.deinitialize(count: names.count)
        values.deallocate()
    }

    /// The dictionary of a row.
    ///
    /// - Parameter value: returns the value of a column in the form in which `NSDictionary` holds it; nil if the row
    ///   has none.
    @inline(__always)
    func dictionary(_ value: (_ place: Int) throws -> AnyObject?) rethrows -> NSDictionary {
        var columns: UInt64 = 0
        for place in 0..<names.count {
            values[place] = try value(place)
            if values[place] != nil { columns |= 1 << UInt64(truncatingIfNeeded: place) }
        }
        return take(columns)
    }

    private func take(_ columns: UInt64) -> NSDictionary {
        if copiesPlaces {
            if columns != latest.columns { latest = (columns, places(of: columns)) }
            // The copy has the keys at the places of the original, so no key is hashed.
            let content = latest.places.mapValues { values[$0].take().unsafelyUnwrapped }
            if let made = DictionaryContent.dictionary(of: content) { return made }
        }
        var (keys, objects): ([NSObject], [AnyObject]) = ([], [])
        for place in 0..<names.count {
            guard let value = values[place].take() else { continue }
            keys.append(names[place])
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

    private func places(of columns: UInt64) -> [NSObject: Int] {
        if let known = places[columns] { return known }
        var made: [NSObject: Int] = [:]
        for place in 0..<names.count where columns & 1 << UInt64(place) != 0 { made[names[place]] = place }
        // Few sets of columns are frequent. Where there are many, a further one costs its hashes.
        if places.count < 256 { places[columns] = made }
        return made
    }
}
