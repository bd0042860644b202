/// The search for the name that was probably meant by an unknown one.
package enum NearestName {
    /// The name with the fewest changes from the given one; nil if none is near.
    package static func of(_ given: String, among names: [String]) -> String? {
        let limit = max(1, given.count / 3)
        let near = names.filter { $0 != given }
            .map { (name: $0, distance: distance(Array(given.lowercased()), Array($0.lowercased()))) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let near, near.distance <= limit, near.distance < near.name.count else { return nil }
        return near.name
    }

    /// The part of an error about an unknown name that suggests the nearest name; empty if none is near.
    package static func hint(_ given: String, among names: [String], prefix: String = "") -> String {
        of(given, among: names).map { "; is '\(prefix)\($0)' meant?" } ?? ""
    }

    /// The number of characters that have to be changed, added, removed or exchanged with their neighbour.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var before: [Int] = []
        var row = Array(0...other.count)
        for place in one.indices {
            var next = [place + 1]
            for index in other.indices {
                let isSame = one[place] == other[index]
                var least = min(row[index] + (isSame ? 0 : 1), row[index + 1] + 1, next[index] + 1)
                if place > 0, index > 0, one[place] == other[index - 1], one[place - 1] == other[index] {
                    least = min(least, before[index - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[other.count]
    }
}
