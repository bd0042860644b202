/// Which name was meant by one that is not there.
package enum NearestName {
    /// The name with the fewest changes from what was given; nil where none is near.
    package static func of(_ given: String, among names: [String]) -> String? {
        let limit = max(1, given.count / 3)
        let near = names.map { (name: $0, distance: distance(given.lowercased(), $0.lowercased())) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let near, near.distance <= limit else { return nil }
        return near.name
    }

    /// How many characters have to be changed, added or removed (Levenshtein's distance).
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (place, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = place + 1
            for index in other.indices {
                let changed = diagonal + (character == other[index] ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(changed, diagonal + 1, row[index] + 1)
            }
        }
        return row[other.count]
    }
}
