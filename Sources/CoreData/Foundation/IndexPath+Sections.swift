import Foundation

/// Index paths of two places, for lists and fetched-results controllers: a section, and a row or item in it.
extension IndexPath {
    /// Creates the path to a row of a section.
    ///
    /// - Parameters:
    ///   - row: The row, from 0.
    ///   - section: The section, from 0.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/indexpath)
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// Creates the path to an item of a section.
    ///
    /// - Parameters:
    ///   - item: The item, from 0.
    ///   - section: The section, from 0.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/indexpath)
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The section: the first place. Stops the process if the path does not have two places.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/indexpath)
    public var section: Int {
        get { place(0, "section") }
        set { setPlace(0, to: newValue, "section") }
    }

    /// The row in its section: the second place. Stops the process if the path does not have two places.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/indexpath)
    public var row: Int {
        get { place(1, "row") }
        set { setPlace(1, to: newValue, "row") }
    }

    /// The item in its section: the second place. Stops the process if the path does not have two places.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/indexpath)
    public var item: Int {
        get { place(1, "item") }
        set { setPlace(1, to: newValue, "item") }
    }

    private func place(_ position: Int, _ name: String) -> Int {
        require(
            count == 2, "\(name): an index path of a section and a row is needed; this one has \(count) places")
        return self[position]
    }

    private mutating func setPlace(_ position: Int, to value: Int, _ name: String) {
        require(
            count == 2, "\(name): an index path of a section and a row is needed; this one has \(count) places")
        self[position] = value
    }
}
