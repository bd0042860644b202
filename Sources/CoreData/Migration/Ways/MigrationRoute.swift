/// The search for hops from one version of a model to another through the versions at hand.
enum MigrationRoute {
    /// The numbers of the versions in their order, without the first; nil if no hops connect the two.
    ///
    /// The result has the fewest hops. The caller chooses between two hops to the same version. `connects` is called at
    /// most once for a pair.
    ///
    /// - Parameters:
    ///   - start: the place of the version to leave.
    ///   - end: the place of the version to reach.
    ///   - count: how many versions there are.
    static func shortest(
        from start: Int, to end: Int, count: Int, connects: (_ from: Int, _ to: Int) -> Bool
    ) -> [Int]? {
        var previous: [Int: Int] = [start: start]
        var frontier = [start]
        while !frontier.isEmpty, previous[end] == nil {
            var next: [Int] = []
            for place in frontier {
                // The end comes first, so that a direct hop is found before any other one.
                let others = [end] + (0..<count).filter { $0 != end }
                for other in others where previous[other] == nil && connects(place, other) {
                    previous[other] = place
                    next.append(other)
                    if other == end { break }
                }
                if previous[end] != nil { break }
            }
            frontier = next
        }
        guard previous[end] != nil, start != end else { return start == end ? [] : nil }
        var route: [Int] = []
        var place = end
        while place != start, let before = previous[place] {
            route.append(place)
            place = before
        }
        return route.reversed()
    }
}
