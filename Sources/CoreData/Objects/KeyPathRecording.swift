import Foundation

/// One evaluation of a key path on objects without values that note the names of the properties that are read.
///
/// Such a recorder is an instance of its class, in no context and with a layout of its own. An accessor that meets that
/// layout calls this type. A program's initialisers run only if there are stored properties to be initialised. On a Mac
/// a key path has its name without any object, also for classes that the framework cannot make. Used by one thread at a
/// time (`KeyPathNames` holds a lock).
final class KeyPathRecording {
    private struct Step {
        let key: String
        let owner: ObjectIdentifier
    }

    // nonisolated(unsafe): recorders exist only while `KeyPathNames` holds its lock, on the thread that holds it.
    nonisolated(unsafe) private static var current: KeyPathRecording?

    private var steps: [Step] = []
    /// The objects that were handed out so far, the root first; held so that no two have the same address.
    private var recorders: [NSManagedObject] = []
    /// The path from the root to each recorder, with a dot at its end.
    private var prefixes: [ObjectIdentifier: String] = [:]
    /// Whether reads are recorded: initialisers may read properties, too, and only the reads of the key path count.
    private var isListening = false

    /// The keys a key path reads, beginning at `root`; nil when it reads anything but one property after the other.
    static func keys(readBy keyPath: AnyKeyPath, from root: NSManagedObject.Type) -> String? {
        let outer = current
        let recording = KeyPathRecording()
        current = recording
        defer { current = outer }
        let start = recording.recorder(of: root)
        recording.isListening = true
        let value = start[keyPath: keyPath]
        recording.isListening = false
        return recording.path(of: keyPath, value)
    }

    /// The paths of all properties that a body reads from an object of a class and from its destinations.
    static func paths(readFrom root: NSManagedObject.Type, _ body: (NSManagedObject) -> Void) -> Set<String> {
        KeyPathNames.recording {
            let outer = current
            let recording = KeyPathRecording()
            current = recording
            defer { current = outer }
            let start = recording.recorder(of: root)
            recording.isListening = true
            body(start)
            recording.isListening = false
            return Set(recording.steps.compactMap { step in recording.prefixes[step.owner].map { $0 + step.key } })
        }
    }

    /// The paths of all properties that a key path reads.
    static func paths(readBy keyPath: AnyKeyPath, from root: NSManagedObject.Type) -> Set<String> {
        paths(readFrom: root) { _ = $0[keyPath: keyPath] }
    }

    /// The names that were read, if each step read a property of the object that the step before returned.
    private func path(of keyPath: AnyKeyPath, _ value: Any?) -> String? {
        var keys = steps.map(\.key)
        for (step, recorder) in zip(steps, recorders) where step.owner != ObjectIdentifier(recorder) { return nil }
        guard steps.count <= recorders.count else { return nil }
        if let object = value as? NSManagedObject, object === recorders.last, steps.count < recorders.count {
            return keys.isEmpty ? "self" : keys.joined(separator: ".")
        }
        var computed = Self.computedComponents(of: keyPath)
        if type(of: keyPath).valueType is any SortKey.Type { computed -= 1 }
        if value is NSManagedObjectID {
            keys.append("objectID")
        } else if keys.isEmpty {
            return nil
        }
        return computed == keys.count || computed < 0 ? keys.joined(separator: ".") : nil
    }

    /// The number of properties that a key path goes through; negative if its description does not show it.
    private static func computedComponents(of keyPath: AnyKeyPath) -> Int {
        let description = keyPath.debugDescription
        let count = description.components(separatedBy: "<computed ").count - 1
        return count == 0 ? -2 : count
    }

    // MARK: Recorders

    /// A model with one attribute for each kind of accessor, each with a value, so that every accessor finds a value.
    private static let model: NSManagedObjectModel = {
        func attribute(_ kinds: AccessorKinds, _ type: NSAttributeType, _ value: Any) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name(of: kinds)
            attribute.attributeType = type
            attribute.defaultValue = value
            return attribute
        }
        let reference = NSRelationshipDescription()
        reference.name = name(of: .toOne)
        reference.maxCount = 1
        let entity = NSEntityDescription()
        entity.name = "KeyPathRecorder"
        reference.destinationEntity = entity
        entity.properties = [
            attribute(.integer, .integer64AttributeType, 0), attribute(.double, .doubleAttributeType, 0.0),
            attribute(.string, .stringAttributeType, "x"), attribute(.data, .binaryDataAttributeType, Data()),
            attribute(.uuid, .UUIDAttributeType, UUID()),
            attribute(.decimal, .decimalAttributeType, NSDecimalNumber.zero),
            reference,
        ]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        model.layout.entities[0].becomeLayoutOfRecorders()
        return model
    }()

    private static func name(of kinds: AccessorKinds) -> String { "kind\(kinds.rawValue)" }

    private func recorder(of managedClass: NSManagedObject.Type) -> NSManagedObject {
        // An accessor that reads a relationship twice gets two recorders; only the last one counts.
        if recorders.count > steps.count { drop(recorders.count - steps.count) }
        let wasListening = isListening
        isListening = false
        defer { isListening = wasListening }
        let model = Self.model
        let layout = model.layout.entities[0]
        let binding = EntityBinding(
            context: nil, layout: layout, identityMap: nil, modelLayout: model.layout, model: model,
            managedClass: managedClass.isOfPlainSize ? NSManagedObject.self : managedClass)
        ObjectMaterializer.prepare()
        var recorder = ObjectMaterializer(binding: binding).materialize(key: 0, row: layout.defaultRow, flags: [])
        if managedClass.isOfPlainSize { recorder = recorder.withClass(managedClass) }
        recorders.append(recorder)
        let way = steps.last.flatMap { step in prefixes[step.owner].map { $0 + step.key + "." } }
        prefixes[ObjectIdentifier(recorder)] = way ?? ""
        return recorder
    }

    /// Forgets the last recorders. A class's `deinit` must not run on an object that none of its initialisers has made.
    private func drop(_ count: Int) {
        for recorder in recorders.suffix(count) where type(of: recorder).isOfPlainSize {
            _ = recorder.withClass(NSManagedObject.self)
        }
        recorders.removeLast(count)
    }

    deinit { drop(recorders.count) }

    private func note(_ key: String, of object: NSManagedObject) {
        guard isListening else { return }
        let step = Step(key: key, owner: ObjectIdentifier(object))
        // An accessor may read a property twice.
        if let last = steps.last, last.key == step.key, last.owner == step.owner { return }
        steps.append(step)
    }

    // MARK: The calls of recorders' accessors

    /// The place of a value of one of the given kinds.
    static func slot(of object: NSManagedObject, askedFor key: String, as kinds: AccessorKinds) -> Int {
        current?.note(key, of: object)
        switch object.binding.layout.access[name(of: kinds)] {
        case .attribute(let slot), .toOne(let slot): return slot
        default: return 0
        }
    }

    /// The value of key-value coding for a key: if the class's entity is known, a value of the property's kind.
    static func value(of object: NSManagedObject, askedFor key: String) -> Any? {
        current?.note(key, of: object)
        switch ModelsInUse.entities(of: type(of: object)).last?.propertiesByName[key] {
        case let attribute as NSAttributeDescription:
            let name = Self.name(ofAccessorFor: SlotKind(attribute.attributeType))
            guard case .attribute(let slot)? = object.binding.layout.access[name] else { return nil }
            return object.boxedValue(at: slot)
        case let relationship as NSRelationshipDescription where relationship.isToMany:
            return relationship.isOrdered ? NSOrderedSet() : NSSet()
        case is NSRelationshipDescription:
            return destination(of: object)
        default:
            return nil
        }
    }

    private static func name(ofAccessorFor kind: SlotKind) -> String {
        switch kind {
        case .integer, .boolean: name(of: .integer)
        case .double, .float, .date: name(of: .double)
        case .string, .uri: name(of: .string)
        case .data: name(of: .data)
        case .uuid: name(of: .uuid)
        case .decimal: name(of: .decimal)
        default: ""
        }
    }

    /// A recorder of the destination class of a to-one relationship.
    static func destination<Object>(of object: NSManagedObject, as type: Object.Type) -> Object {
        guard let current, let managedClass = type as? NSManagedObject.Type,
            let recorder = current.recorder(of: managedClass) as? Object
        else {
            fatalError("No object of class \(type) could be made to follow a key path")
        }
        return recorder
    }

    /// A recorder of the destination class of the relationship that was read last, if a model in use names that class.
    static func destination(of object: NSManagedObject) -> NSManagedObject? {
        guard let current, let step = current.steps.last, step.owner == ObjectIdentifier(object) else { return nil }
        let entity = ModelsInUse.entities(of: type(of: object)).last
        guard let destination = entity?.relationshipsByName[step.key]?.destinationEntity else { return nil }
        return current.recorder(of: ManagedClassLookup.managedClass(of: destination))
    }

    /// A value of a type that no storage kind represents. The value is never used.
    static func anyValue<Value>(of type: Value.Type) -> Value? {
        let known: [Any] = [
            NSNumber(value: 0), NSDecimalNumber.zero, NSSet(), NSOrderedSet(), NSString(), NSDate(), NSData(),
        ]
        if let value = known.lazy.compactMap({ $0 as? Value }).first { return value }
        if let type = type as? any RangeReplaceableCollection.Type, let value = filled(type) as? Value { return value }
        if let type = type as? any SetAlgebra.Type, let value = type.init() as? Value { return value }
        if let type = type as? any ExpressibleByDictionaryLiteral.Type, let value = empty(type) as? Value {
            return value
        }
        if let type = type as? any CaseIterable.Type, let value = firstCase(of: type) as? Value { return value }
        // A type of bits without references, such as an enumeration: all bits zero is one of its values.
        guard _isPOD(type) else { return nil }
        return withUnsafeTemporaryAllocation(
            byteCount: max(1, MemoryLayout<Value>.size), alignment: MemoryLayout<Value>.alignment
        ) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return bytes.load(as: Value.self)
        }
    }

    /// Some elements, because a key path may continue with a subscript.
    private static func filled<List: RangeReplaceableCollection>(_ type: List.Type) -> Any {
        guard let element = anyValue(of: List.Element.self) else { return List() }
        return List(repeating: element, count: 256)
    }

    private static func empty<Map: ExpressibleByDictionaryLiteral>(_ type: Map.Type) -> Any { [:] as Map }

    private static func firstCase<Cases: CaseIterable>(of type: Cases.Type) -> Any? { type.allCases.first }
}

extension NSManagedObject: KeyPathNaming {
    static func keys(readBy keyPath: AnyKeyPath) -> String? { KeyPathRecording.keys(readBy: keyPath, from: self) }

    /// Whether the object exists only to record a key path.
    @inline(__always)
    final var isRecorder: Bool { layoutIdentifier == EntityLayout.identifierOfRecorders }
}
