/// A module with declarations of every shape, and a program that uses them.
enum ShapesSample {
    static let module = """
        import CoreData
        public enum Space {
            open class Item: NSManagedObject {
                public struct Inner { public enum Kind: Int32 { case a, b } }
                @NSManaged open var title: String?
                @NSManaged public var kind: Inner.Kind
                @NSManaged fileprivate var shy: Int16
                @NSManaged package var pack: Bool
                @NSManaged public var link: Foundation.URL?
                @NSManaged public var `default`: String?
                @MainActor @NSManaged public var ui: String?
                @NSManaged public var parent: Item?
                public func count() -> Int16 { shy += 1; return shy }
            }
        }
        @MainActor public final class Screen: Space.Item { @NSManaged public var width: Float }
        open class Base<T: NSManagedObject>: NSManagedObject {
            @NSManaged public var one: T?
            @NSManaged public var many: Set<T>
        }
        public final class Leaf: Base<Space.Item> { @NSManaged public var name: String }
        public typealias Words = Array<String>
        open class Sub: Space.Item {
            public override var title: String? { get { (super.title ?? "") + "!" } set { super.title = newValue } }
            @NSManaged public var extra: [String: Int]?
            @NSManaged public var optional: Int64?
            @NSManaged public var other: Inner.Kind
        }
        extension Sub { @NSManaged public var words: Words!; @NSManaged internal var f: Float?, g: Decimal? }
        public extension Space.Item { @NSManaged var ext: Date? }
        public final class Box: NSManagedObject {
            @NSManaged public var any: Any
            @NSManaged public var maybe: Any?
            @NSManaged public var plain: NSObject?
            @NSManaged public var reference: AnyObject?
            @NSManaged public var coding: (any NSCoding)?
            public subscript(name: String) -> Any? { "own \\(name)" }
        }
        """

    /// A file that is there only where the framework can be imported.
    static let guarded = """
        import Foundation
        #if canImport(CoreData)
        import CoreData
        final class Bare: NSManagedObject { @NSManaged var name: String? }
        #endif
        """

    static let program = """
        import CoreData
        import Kit
        func entity(_ name: String, _ className: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = className
            entity.properties = attributes.map { name, type in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                return attribute
            }
            return entity
        }
        let item = entity("Item", String(reflecting: Space.Item.self), [
            ("title", .stringAttributeType), ("kind", .integer32AttributeType), ("shy", .integer16AttributeType),
            ("link", .URIAttributeType), ("default", .stringAttributeType), ("ext", .dateAttributeType),
        ])
        let sub = entity("Sub", "Kit.Sub", [
            ("extra", .transformableAttributeType), ("optional", .integer64AttributeType), ("words", .transformableAttributeType),
            ("other", .integer16AttributeType),
        ])
        let box = entity("Box", "Kit.Box", ["any", "maybe", "plain", "reference", "coding"].map { ($0, .transformableAttributeType) })
        let leaf = entity("Leaf", "Kit.Leaf", [("name", .stringAttributeType)])
        let bare = entity("Bare", "Bare", [("name", .stringAttributeType)])
        item.subentities = [sub]
        for (name, count) in [("one", 1), ("many", 0)] {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = item
            relationship.maxCount = count
            relationship.isOptional = true
            leaf.properties.append(relationship)
        }
        let model = NSManagedObjectModel()
        model.entities = [item, sub, leaf, box, bare]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        try context.performAndWait {
            // No class of the module has been used: its name lies in the program.
            print(type(of: NSEntityDescription.insertNewObject(forEntityName: "Bare", into: context)))
            let sub = Sub(context: context)
            sub.title = "x"
            sub.kind = .b
            sub.other = .b
            sub.extra = ["a": 1]
            sub.optional = 7
            sub.words = ["w"]
            sub.ext = Date(timeIntervalSinceReferenceDate: 5)
            sub.default = "d"
            let leaf = Leaf(context: context)
            leaf.one = sub
            leaf.many = [sub]
            leaf.name = "leaf"
            try context.save()
            (sub as Space.Item).title? += "y"
            print(sub.title!, sub.kind, sub.other, sub.extra!, sub.optional!, sub.words!, sub.ext!.timeIntervalSinceReferenceDate)
            print(sub.default!, leaf.one === sub, leaf.many.count, leaf.name, sub.count(), sub.count())
            let box = Box(context: context)
            print(box.maybe == nil, box.plain == nil, box.reference == nil, box.coding == nil)
            box.any = 7
            box.maybe = "m"
            box.plain = NSString(string: "p")
            box.reference = NSNumber(value: 3)
            box.coding = NSNumber(value: 4)
            try context.save()
            context.refresh(box, mergeChanges: false)
            print(box.any, box.maybe!, box.plain!, box.reference!, box.coding!, box["x"]!)
        }
        """

    /// The program's output.
    static let output = """
        Bare
        x!y! b b ["a": 1] 7 ["w"] 5.0
        d true 1 leaf 1 2
        true true true true
        7 m p 3 4 own x

        """
}
