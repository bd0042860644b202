/// Matches the names of an older model with those of a newer one.
///
/// Renaming identifiers come first, because two elements may have exchanged their names. Equal names come second. Last
/// comes a newer name that is the identifier of an older one (a renaming that was reversed).
struct RenamingMatch {
    /// A name and its renaming identifier; the identifier is the name itself unless the model has another one.
    struct Entry {
        var name: String
        var identifier: String

        init(name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier ?? name
        }

        var isRenamed: Bool { identifier != name }
    }

    /// For every newer entry the index of the matching older one; nil for a new entry. No older entry is used twice.
    static func match(_ newer: [Entry], from older: [Entry]) -> [Int?] {
        var result: [Int?] = Array(repeating: nil, count: newer.count)
        var free = Set(older.indices)
        var byName: [String: Int] = [:]
        var byIdentifier: [String: [Int]] = [:]
        for (place, entry) in older.enumerated() {
            byName[entry.name] = place
            byIdentifier[entry.identifier, default: []].append(place)
        }
        func take(_ place: Int?, for number: Int) {
            guard result[number] == nil, let place, free.remove(place) != nil else { return }
            result[number] = place
        }
        // Entries that have not changed since the older model: same name, same explicit identifier.
        for (number, entry) in newer.enumerated() where entry.isRenamed {
            if let place = byName[entry.name], older[place].identifier == entry.identifier { take(place, for: number) }
        }
        for (number, entry) in newer.enumerated() where entry.isRenamed {
            let candidates = (byIdentifier[entry.identifier] ?? []).filter { free.contains($0) }
            take(candidates.first { older[$0].isRenamed } ?? candidates.first, for: number)
            take(byName[entry.identifier], for: number)
        }
        for (number, entry) in newer.enumerated() { take(byName[entry.name], for: number) }
        for (number, entry) in newer.enumerated() {
            take(byIdentifier[entry.name]?.first { free.contains($0) }, for: number)
        }
        return result
    }
}
