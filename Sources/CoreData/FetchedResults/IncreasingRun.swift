/// The longest rising subsequence of distinct numbers.
///
/// Its elements have kept their places; all other elements have moved. That gives the fewest moves.
enum IncreasingRun {
    /// For every element, whether it belongs to one longest rising subsequence.
    static func members(of values: [Int]) -> [Bool] {
        var isMember = Array(repeating: false, count: values.count)
        var tails: [Int] = []
        var previous = Array(repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var current = tails.last ?? -1
        while current >= 0 {
            isMember[current] = true
            current = previous[current]
        }
        return isMember
    }
}
