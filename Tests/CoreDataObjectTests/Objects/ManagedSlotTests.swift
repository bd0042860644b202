import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// A class with an accessor for each kind of type, in the form of generated ones.
final class SlotThing: NSManagedObject {
    enum Colour: Int16 { case red, green }
    enum Mood: String { case calm, wild }
    struct Options: OptionSet { let rawValue: Int }

    var count: Int32 {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var optionalCount: Int? {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var number: NSNumber? {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var decimalCount: NSDecimalNumber {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var optionalDecimalCount: NSDecimalNumber? {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var colour: Colour {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var optionalColour: Colour? {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var options: Options {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }
    var flag: Bool {
        get { Self.flag.value(of: self) }
        set { Self.flag.set(newValue, of: self) }
    }
    var ratio: Float {
        get { Self.ratio.value(of: self) }
        set { Self.ratio.set(newValue, of: self) }
    }
    var name: String {
        get { Self.name.value(of: self) }
        set { Self.name.set(newValue, of: self) }
    }
    var optionalName: String? {
        get { Self.name.value(of: self) }
        set { Self.name.set(newValue, of: self) }
    }
    var mood: Mood? {
        get { Self.name.value(of: self) }
        set { Self.name.set(newValue, of: self) }
    }
    var day: Date? {
        get { Self.day.value(of: self) }
        set { Self.day.set(newValue, of: self) }
    }
    var seconds: TimeInterval {
        get { Self.day.value(of: self) }
        set { Self.day.set(newValue, of: self) }
    }
    var certainDay: Date {
        get { Self.day.value(of: self) }
        set { Self.day.set(newValue, of: self) }
    }
    var bytes: Data {
        get { Self.bytes.value(of: self) }
        set { Self.bytes.set(newValue, of: self) }
    }
    var id: UUID? {
        get { Self.id.value(of: self) }
        set { Self.id.set(newValue, of: self) }
    }
    var link: URL? {
        get { Self.link.value(of: self) }
        set { Self.link.set(newValue, of: self) }
    }
    var price: Decimal? {
        get { Self.price.value(of: self) }
        set { Self.price.set(newValue, of: self) }
    }
    var money: NSDecimalNumber? {
        get { Self.price.value(of: self) }
        set { Self.price.set(newValue, of: self) }
    }
    var words: [String]? {
        get { Self.words.value(of: self) }
        set { Self.words.set(newValue, of: self) }
    }
    var parent: SlotThing? {
        get { Self.parent.value(of: self) }
        set { Self.parent.set(newValue, of: self) }
    }
    var certainParent: SlotThing {
        get { Self.parent.value(of: self) }
        set { Self.parent.set(newValue, of: self) }
    }
    var children: Set<SlotThing> {
        get { Self.children.value(of: self) }
        set { Self.children.set(newValue, of: self) }
    }
    var changeableChildren: NSMutableSet {
        get { Self.children.value(of: self) }
        set { Self.children.set(newValue, of: self) }
    }
    var changeableList: NSMutableOrderedSet? { Self.list.value(of: self) }
    var childSet: NSSet? {
        get { Self.children.value(of: self) }
        set { Self.children.set(newValue, of: self) }
    }
    var list: [SlotThing] {
        get { Self.list.value(of: self) }
        set { Self.list.set(newValue, of: self) }
    }
    var orderedSet: NSOrderedSet? {
        get { Self.list.value(of: self) }
        set { Self.list.set(newValue, of: self) }
    }
    var misnamed: Int { Self.misnamed.value(of: self) }

    var mistyped: Int { Self.mistyped.value(of: self) }

    static let count = ManagedSlot("count")
    static let mistyped = ManagedSlot("name")
    static let flag = ManagedSlot("flag")
    static let ratio = ManagedSlot("ratio")
    static let name = ManagedSlot("name")
    static let day = ManagedSlot("day")
    static let bytes = ManagedSlot("bytes")
    static let id = ManagedSlot("id")
    static let link = ManagedSlot("link")
    static let price = ManagedSlot("price")
    static let words = ManagedSlot("words")
    static let parent = ManagedSlot("parent")
    static let children = ManagedSlot("children")
    static let list = ManagedSlot("list")
    static let misnamed = ManagedSlot("misnamed")

    static func makeModel() -> NSManagedObjectModel {
        let thing = NSEntityDescription()
        thing.name = "SlotThing"
        thing.managedObjectClassName = String(reflecting: SlotThing.self)
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        func relationship(_ name: String, toMany: Bool, ordered: Bool = false) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = thing
            relationship.maxCount = toMany ? 0 : 1
            relationship.isOrdered = ordered
            relationship.isOptional = true
            return relationship
        }
        let parent = relationship("parent", toMany: false)
        let children = relationship("children", toMany: true)
        parent.inverseRelationship = children
        children.inverseRelationship = parent
        let head = relationship("head", toMany: false)
        let list = relationship("list", toMany: true, ordered: true)
        head.inverseRelationship = list
        list.inverseRelationship = head
        thing.properties = [
            attribute("count", .integer32AttributeType), attribute("flag", .booleanAttributeType),
            attribute("ratio", .floatAttributeType), attribute("name", .stringAttributeType),
            attribute("day", .dateAttributeType), attribute("bytes", .binaryDataAttributeType),
            attribute("id", .UUIDAttributeType), attribute("link", .URIAttributeType),
            attribute("price", .decimalAttributeType), attribute("words", .transformableAttributeType), parent,
            children, head, list,
        ]
        let model = NSManagedObjectModel()
        model.entities = [thing]
        return model
    }

    /// A context on a store of its own; it keeps its coordinator alive.
    static func makeContext() throws -> NSManagedObjectContext {
        try Library(model: makeModel()).context()
    }
}

@Suite("Accessors by declared type", .leavesNothingBehind, .onEveryKindOfStore)
struct ManagedSlotTests {
    /// Runs the body with a new object in a context of its own.
    private func withThing(_ body: (SlotThing, NSManagedObjectContext) throws -> Void) throws {
        let context = try SlotThing.makeContext()
        try context.performAndWait { try body(SlotThing(context: context), context) }
    }

    @Test("Numbers without a value read as zero, strings and data as empty, optionals as nil")
    func absent() throws {
        try withThing { thing, _ in
            #expect(thing.count == 0 && thing.optionalCount == nil && thing.number == nil && thing.colour == .red)
            #expect(thing.optionalColour == nil && thing.options == [] && !thing.flag && thing.ratio == 0)
            #expect(thing.name == "" && thing.optionalName == nil && thing.mood == nil && thing.day == nil)
            #expect(thing.bytes == Data() && thing.id == nil && thing.link == nil && thing.price == nil)
            #expect(thing.money == nil && thing.words == nil && thing.parent == nil)
            #expect(thing.children.isEmpty && thing.childSet == NSSet() && thing.list.isEmpty)
        }
    }

    @Test("Every type reads its own written value, after a save and a reset too")
    func roundTrip() throws {
        try withThing { thing, context in
            let day = Date(timeIntervalSinceReferenceDate: 1000)
            let id = UUID()
            thing.count = -7
            thing.flag = true
            thing.ratio = 1.5
            thing.name = "Ann"
            thing.day = day
            thing.bytes = Data([1, 2])
            thing.id = id
            thing.link = URL(string: "https://example.org/a")
            thing.price = Decimal(string: "12.34")
            thing.words = ["a", "b"]
            try context.save()
            let objectID = thing.objectID
            context.reset()
            let again = try #require(try context.existingObject(with: objectID) as? SlotThing)
            #expect(again.count == -7 && again.optionalCount == -7 && again.number == -7)
            #expect(again.flag && again.ratio == 1.5 && again.name == "Ann" && again.optionalName == "Ann")
            #expect(again.day == day && again.seconds == 1000 && again.certainDay == day)
            #expect(again.bytes == Data([1, 2]) && again.id == id)
            #expect(again.link?.absoluteString == "https://example.org/a")
            #expect(again.price == Decimal(string: "12.34") && again.money == NSDecimalNumber(string: "12.34"))
            #expect(again.words == ["a", "b"])
        }
    }

    @Test("Optional accessors clear, raw values come and go as enumerations")
    func clearing() throws {
        try withThing { thing, _ in
            thing.optionalColour = .green
            #expect(thing.colour == .green && thing.count == 1 && thing.options == SlotThing.Options(rawValue: 1))
            thing.count = 77
            #expect(thing.optionalColour == nil)
            thing.number = 5
            #expect(thing.count == 5)
            #expect(thing.decimalCount == 5 && thing.optionalDecimalCount == 5)
            thing.decimalCount = 9
            #expect(thing.count == 9)
            thing.number = nil
            #expect(thing.optionalCount == nil && thing.optionalDecimalCount == nil)
            thing.mood = .wild
            #expect(thing.name == "wild")
            thing.mood = nil
            #expect(thing.optionalName == nil)
            thing.words = ["x"]
            thing.words = nil
            #expect(thing.words == nil)
        }
    }

    @Test("Relationships keep their inverses, as objects, sets, arrays and Foundation's collections")
    func relationships() throws {
        try withThing { thing, context in
            let (first, second) = (SlotThing(context: context), SlotThing(context: context))
            first.parent = thing
            second.certainParent = thing
            #expect(thing.children == [first, second] && thing.childSet == NSSet(array: [first, second]))
            thing.children = [second]
            #expect(first.parent == nil)
            thing.childSet = nil
            #expect(second.parent == nil)
            thing.changeableChildren.add(first)
            #expect(first.parent === thing && thing.changeableChildren.count == 1)
            thing.changeableChildren = NSMutableSet(array: [second])
            #expect(thing.children == [second])
            thing.list = [second, first]
            #expect(thing.orderedSet == NSOrderedSet(array: [second, first]))
            thing.orderedSet = NSOrderedSet(array: [first])
            #expect(thing.list == [first])
            thing.changeableList?.add(second)
            #expect(thing.list == [first, second])
        }
    }

    @Test("Members of a to-many relationship are added and removed, one and many")
    func members() throws {
        try withThing { thing, context in
            let things = (0..<3).map { _ in SlotThing(context: context) }
            SlotThing.children.add(things[0], to: thing)
            SlotThing.children.add(NSSet(array: things), to: thing)
            #expect(thing.children == Set(things))
            SlotThing.children.remove(things[0], from: thing)
            SlotThing.children.remove(Set([things[1]]), from: thing)
            #expect(thing.children == [things[2]] && things[0].parent == nil)
        }
    }

    @Test("Members of an ordered relationship are inserted, removed and replaced by position")
    func orderedMembers() throws {
        try withThing { thing, context in
            let things = (0..<5).map { _ in SlotThing(context: context) }
            SlotThing.list.add(NSOrderedSet(array: [things[0], things[1]]), to: thing)
            SlotThing.list.insert(things[2], at: 1, into: thing)
            #expect(thing.list == [things[0], things[2], things[1]])
            SlotThing.list.insert([things[3], things[4]], at: NSIndexSet(indexSet: [0, 2]), into: thing)
            #expect(thing.list == [things[3], things[0], things[4], things[2], things[1]])
            SlotThing.list.remove(at: NSIndexSet(indexSet: [0, 4]), from: thing)
            SlotThing.list.remove(at: 1, from: thing)
            #expect(thing.list == [things[0], things[2]])
            SlotThing.list.replace(at: 1, with: things[4], in: thing)
            SlotThing.list.replace(at: NSIndexSet(index: 0), with: [things[1]], in: thing)
            #expect(thing.list == [things[1], things[4]])
        }
    }

    @Test(
        "A property that the model does not have stops the process at first use, naming it and the entity",
        .onStores(.inMemory))
    func unknownProperty() async {
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try SlotThing.makeContext()
            context.performAndWait { _ = SlotThing(context: context).misnamed }
        }
        #expect(first.said("is not in entity 'SlotThing' of the model in use"))
    }

    @Test(
        "A property of another kind stops the process at first use, before its bytes are taken for something else",
        .onStores(.inMemory))
    func wrongKind() async {
        let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try SlotThing.makeContext()
            context.performAndWait { _ = SlotThing(context: context).mistyped }
        }
        #expect(second.said("its accessor was declared with another type"))
        let third = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try SlotThing.makeContext()
            context.performAndWait {
                let thing = SlotThing(context: context)
                ManagedSlot("name").add(thing, to: thing)
            }
        }
        #expect(third.said("its accessor was declared with another type"))
    }

    @Test("A missing value stops the process where the type has no place for nil", .onStores(.inMemory))
    func missingValue() async {
        let fourth = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try SlotThing.makeContext()
            context.performAndWait { _ = SlotThing(context: context).certainDay }
        }
        #expect(fourth.said("has no value, and its type"))
    }
}
