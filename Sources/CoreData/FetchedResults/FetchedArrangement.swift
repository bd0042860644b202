import Foundation

/// The results of a fetched-results controller: objects in order, divided into sections.
///
/// A value type. The search for an object begins at its last noted place, because changes before the object move it.
/// The places are noted again once objects may have moved far.
struct FetchedArrangement {
    struct Section {
        let name: String
        /// The place of the section's first object among all objects.
        let start: Int
    }

    private(set) var objects: FetchedList
    /// The sections; without a section key path always one, which has no name.
    private(set) var sections: [Section] = []
    private var noted: NotedPlaces?
    private var drift = 0
    /// The number of searches since the places were noted last that went through all objects.
    private var passes = 0

    init(items: [NSObject], sections: [Section]) {
        objects = FetchedList(items)
        self.sections = sections
    }

    // MARK: Objects

    var count: Int { objects.count }

    /// The objects as an array. `settle` first if it is used more than once.
    var items: [NSObject] { objects.all }

    /// Lets the objects be read as an array without a copy.
    mutating func settle() { objects.settle() }

    // MARK: Places

    /// After so many searches that go through all objects, the places are noted: this takes as long as some passes.
    private static var passesBeforeNoting: Int { 4 }

    /// The place of an object among all objects; nil when it is not in the results.
    mutating func index(of object: NSObject) -> Int? { indexes(of: [object])[0] }

    /// The places of different objects among all objects; nil for objects that are not in the results.
    mutating func indexes(of wanted: [NSObject]) -> [Int?] {
        if wanted.isEmpty { return [] }
        if drift >= 1024 {
            noted = nil
            drift = 0
        }
        if noted == nil, passes < Self.passesBeforeNoting {
            passes += 1
            return objects.withReferences { NotedPlaces(wanted).places(of: $0) }
        }
        if noted == nil {
            noted = objects.withReferences { NotedPlaces($0) }
            drift = 0
            passes = 0
        }
        return wanted.map { object in
            noted?.place(of: object).flatMap { hint in
                objects.withReferences { Self.index(of: object, in: $0, near: hint) }
            }
        }
    }

    private static func index(
        of object: NSObject, in items: UnsafeBufferPointer<Unmanaged<NSObject>>, near hint: Int
    ) -> Int? {
        let wanted = Unmanaged.passUnretained(object).toOpaque()
        var distance = 0
        while hint - distance >= 0 || hint + distance < items.count {
            let below = hint - distance
            if below >= 0, below < items.count, items[below].toOpaque() == wanted { return below }
            let above = hint + distance
            if above < items.count, items[above].toOpaque() == wanted { return above }
            distance += 1
        }
        return nil
    }

    func count(ofSection section: Int) -> Int { range(ofSection: section).count }

    func range(ofSection section: Int) -> Range<Int> {
        sections[section].start..<(section + 1 < sections.count ? sections[section + 1].start : count)
    }

    /// The section of a place among all objects.
    func section(at index: Int) -> Int {
        var low = 0
        var high = sections.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if sections[middle].start <= index { low = middle } else { high = middle }
        }
        return low
    }

    func indexPath(at index: Int) -> IndexPath {
        let section = section(at: index)
        // Paths of one and two places need no array.
        return IndexPath(index: section).appending(index - sections[section].start)
    }

    // MARK: Replacing

    /// Takes the objects at `removed` (rising) out and puts `added` (rising by their places afterwards) in.
    ///
    /// - Parameter areMoves: Whether the objects that are put in are those that are taken out.
    mutating func replace(
        removed: [Int], added: [(index: Int, object: NSObject)], sections: [Section], areMoves: Bool
    ) {
        if noted != nil, !areMoves {
            for index in removed { noted?.remove(objects[index]) }
        }
        objects.replace(removed, added, areMoves: areMoves)
        if noted != nil {
            for (index, object) in added where noted?.note(object, at: index) == false { noted = nil }
        }
        drift += removed.count + added.count
        self.sections = sections
    }
}
