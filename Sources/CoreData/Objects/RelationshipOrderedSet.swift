import Foundation

/// The live ordered set of an ordered relationship: see `NSManagedObject.mutableOrderedSetValue(forKey:)`.
///
/// Foundation's ordered set reads `array`, `set`, `firstObject` and the like from storage of its own, past every
/// override. So that storage mirrors the relationship: it is updated before each use, and each change is written
/// through to the relationship.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let position: Int
    /// Whether a method of Foundation's is running. Such methods call each other, and the storage must not be changed
    /// while one runs.
    private var isBusy = false

    init(owner: NSManagedObject, index: Int) {
        self.owner = owner
        position = index
        super.init(objects: nil, count: 0)
        refresh()
    }

    @available(*, unavailable, message: "ask an object for it")
    required init(arrayLiteral elements: Any...) { fatalError("a relationship's set belongs to an object") }

    @available(*, unavailable, message: "ask an object for it")
    override init(capacity numItems: Int) { fatalError("a relationship's set belongs to an object") }

    @available(*, unavailable, message: "ask an object for it")
    required init?(coder aDecoder: NSCoder) { fatalError("a relationship's set belongs to an object") }

    // MARK: The mirror

    private var mirrored: [NSManagedObject] {
        (0..<super.count).compactMap { super.object(at: $0) as? NSManagedObject }
    }

    private func refresh() {
        owner.checkConfinement("reading", owner.binding.layout.toManys[position].relationship.name)
        owner.noteRead(ofToMany: position)
        let members = owner.memberObjects(of: position)
        isBusy = true
        defer { isBusy = false }
        guard !members.elementsEqual(mirrored, by: ===) else { return }
        super.removeAllObjects()
        for member in members { super.insert(member, at: super.count) }
    }

    private func reading<Result>(_ body: () -> Result) -> Result {
        if isBusy { return body() }
        refresh()
        isBusy = true
        defer { isBusy = false }
        return body()
    }

    private func changing(_ body: () -> Void) {
        if isBusy { return body() }
        refresh()
        isBusy = true
        defer { isBusy = false }
        body()
        owner.setMembers(mirrored, of: position)
    }

    private func member(_ object: Any) -> NSManagedObject { owner.requireManagedObject(object, of: position) }

    // MARK: Reading

    override var count: Int { reading { super.count } }
    override func object(at idx: Int) -> Any { reading { super.object(at: idx) } }
    override func index(of object: Any) -> Int { reading { super.index(of: object) } }
    override func contains(_ object: Any) -> Bool { reading { super.contains(object) } }
    override var description: String { reading { super.description } }
    // A copy is no longer live.
    override func copy(with zone: NSZone? = nil) -> Any { reading { NSOrderedSet(array: mirrored) } }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { reading { NSMutableOrderedSet(array: mirrored) } }

    // MARK: Changing

    override subscript(idx: Int) -> Any {
        get { object(at: idx) }
        set { replaceObject(at: idx, with: newValue) }
    }

    override func add(_ object: Any) {
        if isBusy { return super.add(object) }
        owner.checkConfinement("adding to", owner.binding.layout.toManys[position].relationship.name)
        owner.addMember(member(object), to: position)
        isBusy = true
        super.add(object)
        isBusy = false
    }

    override func insert(_ object: Any, at idx: Int) {
        changing { super.insert(member(object), at: idx) }
    }

    override func removeObject(at idx: Int) {
        changing { super.removeObject(at: idx) }
    }

    override func replaceObject(at idx: Int, with obj: Any) {
        changing { super.replaceObject(at: idx, with: member(obj)) }
    }

    override func setObject(_ obj: Any, at idx: Int) {
        changing { super.setObject(member(obj), at: idx) }
    }

    override func addObjects(from array: [Any]) {
        changing { super.addObjects(from: array.map(member)) }
    }

    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        changing { super.exchangeObject(at: idx1, withObjectAt: idx2) }
    }

    override func moveObjects(at indexes: IndexSet, to idx: Int) {
        changing { super.moveObjects(at: indexes, to: idx) }
    }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        changing { super.insert(objects.map(member), at: indexes) }
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        changing { super.replaceObjects(at: indexes, with: objects.map(member)) }
    }

    override func removeObjects(in range: NSRange) {
        changing { super.removeObjects(in: range) }
    }

    override func removeObjects(at indexes: IndexSet) {
        changing { super.removeObjects(at: indexes) }
    }

    override func removeAllObjects() {
        changing { super.removeAllObjects() }
    }

    override func remove(_ val: Any) {
        changing { super.remove(val) }
    }

    override func removeObjects(in array: [Any]) {
        changing { super.removeObjects(in: array) }
    }

    override func intersect(_ other: NSOrderedSet) {
        changing { super.intersect(other) }
    }

    override func minus(_ other: NSOrderedSet) {
        changing { super.minus(other) }
    }

    override func union(_ other: NSOrderedSet) {
        changing { super.union(other) }
    }

    override func intersectSet(_ other: Set<AnyHashable>) {
        changing { super.intersectSet(other) }
    }

    override func minusSet(_ other: Set<AnyHashable>) {
        changing { super.minusSet(other) }
    }

    override func unionSet(_ other: Set<AnyHashable>) {
        changing { super.unionSet(other) }
    }

    override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
        changing { super.sort(comparator: cmptr) }
    }

    override func sort(options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult) {
        changing { super.sort(options: opts, usingComparator: cmptr) }
    }

    override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        changing { super.sortRange(range, options: opts, usingComparator: cmptr) }
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        changing { super.sort(using: sortDescriptors) }
    }
}
