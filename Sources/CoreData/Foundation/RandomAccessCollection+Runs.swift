extension RandomAccessCollection where Index == Int {
    /// The longest ranges of elements in which each element is like the one before it.
    func runs(by isAlike: (Element, Element) -> Bool) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = startIndex
        for place in indices where place + 1 == endIndex || !isAlike(self[place], self[place + 1]) {
            runs.append(start..<place + 1)
            start = place + 1
        }
        return runs
    }
}
