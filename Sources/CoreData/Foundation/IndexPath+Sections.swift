import Foundation

/// Index paths of two places, as lists and fetched-results controllers use them: a section, and a row or item in it.
extension IndexPath {
    /// The path to a row of a section.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// The path to an item of a section.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The section: the first place.
    public var section: Int {
        get { place(0, "section") }
        set { setPlace(0, to: newValue, "section") }
    }

    /// The row in its section: the second place.
    public var row: Int {
        get { place(1, "row") }
        set { setPlace(1, to: newValue, "row") }
    }

    /// The item in its section: the second place.
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
