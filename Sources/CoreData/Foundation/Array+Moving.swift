extension Array {
    /// Moves elements to other places. No references are counted, because two elements at a time change places.
    ///
    /// - Parameter targets: The new place of each element.
    mutating func move(to targets: [Int]) {
        var targets = targets
        withUnsafeMutableBufferPointer { elements in
            for place in targets.indices {
                while targets[place] != place {
                    elements.swapAt(place, targets[place])
                    targets.swapAt(place, targets[place])
                }
            }
        }
    }
}
