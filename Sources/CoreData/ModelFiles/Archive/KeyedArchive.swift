import Foundation

/// The objects of an archive of NSKeyedArchiver, read without creating any of them.
///
/// Foundation's unarchiver is not used: on Linux it follows the cycles of a real model (entity ⇄ property ⇄ model)
/// until the stack is full. Here an object is its index, and the caller that walks the graph decides which objects to
/// visit.
final class KeyedArchive {
    private let objects: [PropertyListValue]
    private let topIndex: Int
    /// The number of values that may still be made, so that shared parts cannot multiply without limit.
    private var budget: Int
    /// The classes that were looked up, by their place, because all objects have one of a few classes.
    private var classes: [Int: ArchivedClass] = [:]

    /// Opens an archive.
    init(_ data: Data) throws {
        guard case .dictionary(let list) = try BinaryPropertyListReader.read(data),
            case .array(let objects)? = list["$objects"], case .dictionary(let top)? = list["$top"]
        else { throw archiveError("The data is not a keyed archive.") }
        guard case .reference(let root)? = top["root"] ?? top.values.first, objects.indices.contains(root) else {
            throw archiveError("The keyed archive has no root object.")
        }
        self.objects = objects
        topIndex = root
        // Each reference takes a byte at least.
        budget = max(1_000_000, 4 * data.count)
    }

    /// The names of all classes in the archive.
    var classNames: Set<String> {
        Set(
            objects.compactMap { object in
                guard case .dictionary(let fields) = object, case .string(let name)? = fields["$classname"] else {
                    return nil
                }
                return name
            })
    }

    /// A reference to the object at the top.
    var top: PropertyListValue { .reference(topIndex) }

    /// The object at the top.
    func root() throws -> ArchivedObject {
        guard let object = try object(top) else { throw archiveError("The archive's root is null.") }
        return object
    }

    /// Follows a reference; null (as value or as the archive's "$null") is `nil`.
    func resolve(_ value: PropertyListValue?) throws -> PropertyListValue? {
        guard let value else { return nil }
        guard case .reference(let index) = value else { return value == .null ? nil : value }
        guard objects.indices.contains(index) else {
            throw archiveError("The archive refers to object \(index), which it does not have.")
        }
        if index == 0 || objects[index] == .null { return nil }
        return objects[index]
    }

    /// The object a value refers to; `nil` for null. Throws for scalars.
    func object(_ value: PropertyListValue?) throws -> ArchivedObject? {
        guard case .dictionary(let fields)? = try resolve(value) else {
            if try resolve(value) == nil { return nil }
            throw archiveError("The archive has a plain value where an object is expected.")
        }
        var index = -1
        if case .reference(let number)? = value { index = number }
        return ArchivedObject(
            archive: self, index: index, description: try description(fields["$class"], of: index), fields: fields)
    }

    private func description(_ value: PropertyListValue?, of index: Int) throws -> ArchivedClass {
        if case .reference(let place)? = value, let known = classes[place] { return known }
        guard case .dictionary(let fields)? = try resolve(value), case .string(let name)? = fields["$classname"]
        else { throw archiveError("Object \(index) of the archive has no class.") }
        var chain = [name]
        if case .array(let names)? = fields["$classes"] {
            chain = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
        }
        let found = ArchivedClass(name: name, chain: chain)
        if case .reference(let place)? = value { classes[place] = found }
        return found
    }

    /// The weight of an entity or a property, compared to a plain value. No archive has an entity or a property in
    /// fewer bytes.
    static let weightOfProperty = 64

    /// Counts one more value, or one that takes as much memory as several. Throws if there are too many.
    func spend(_ weight: Int = 1) throws {
        budget -= weight
        guard budget > 0 else { throw archiveError("The archive's objects refer to each other too often.") }
    }
}

/// A class and its superclasses by the names in an archive.
struct ArchivedClass {
    let name: String
    let chain: [String]
}

/// One object of a keyed archive: its class and its fields.
struct ArchivedObject {
    let archive: KeyedArchive
    /// The object's place in the archive: its identity.
    let index: Int
    let description: ArchivedClass
    let fields: [String: PropertyListValue]

    var className: String { description.name }

    /// Whether the object's class is the given one or inherits from it.
    func isKind(of name: String) -> Bool { className == name || description.chain.contains(name) }

    /// A field that is an object; `nil` when absent or null.
    func object(_ key: String) throws -> ArchivedObject? { try archive.object(fields[key]) }

    /// A field that is a string; `nil` when absent, null or of another kind.
    func string(_ key: String) throws -> String? { try archive.string(fields[key]) }

    /// A field that is an integer or Boolean.
    func integer(_ key: String) throws -> Int? {
        try archive.resolve(fields[key])?.integerValue.flatMap { Int(exactly: $0) }
    }

    /// A field that is a Boolean; false when absent.
    func flag(_ key: String) throws -> Bool { try integer(key) ?? 0 != 0 }

    /// The elements of a field that is an array or a set.
    func elements(_ key: String) throws -> [PropertyListValue] { try archive.elements(fields[key]) }

    /// The entries of a field that is a dictionary with string keys.
    func entries(_ key: String) throws -> [(key: String, value: PropertyListValue)] {
        try archive.entries(fields[key])
    }
}

extension KeyedArchive {
    /// The classes of the object at the top and of all that are reached from it through lists, sets and dictionaries.
    func classesWithinContainers() throws -> [ArchivedClass] {
        var waiting = [top]
        var seen: Set<Int> = []
        var found: [ArchivedClass] = []
        while let value = waiting.popLast() {
            guard case .reference(let index) = value, seen.insert(index).inserted,
                case .dictionary? = try resolve(value), let object = try object(value)
            else { continue }
            found.append(object.description)
            if ["NSArray", "NSSet", "NSOrderedSet"].contains(where: object.isKind) {
                waiting += try elements(value)
            } else if object.isKind(of: "NSDictionary") {
                waiting += try pairs(value).flatMap { [$0.key, $0.value] }
            }
        }
        return found
    }

    /// A string, plain or as an NSString object.
    func string(_ value: PropertyListValue?) throws -> String? {
        switch try resolve(value) {
        case .string(let text)?: return text
        case .dictionary(let fields)?:
            if case .string(let text)? = try resolve(fields["NS.string"]) { return text }
            if case .data(let bytes)? = try resolve(fields["NS.bytes"]) { return String(data: bytes, encoding: .utf8) }
            return nil
        default: return nil
        }
    }

    /// The elements of an NSArray, NSSet or NSOrderedSet; none for null.
    func elements(_ value: PropertyListValue?) throws -> [PropertyListValue] {
        guard let object = try object(value) else { return [] }
        if case .array(let elements)? = object.fields["NS.objects"] {
            try spend(elements.count)
            return elements
        }
        // NSOrderedSet archives its elements as NS.object.0, NS.object.1 …
        var elements: [PropertyListValue] = []
        while let element = object.fields["NS.object.\(elements.count)"] { elements.append(element) }
        return elements
    }

    /// The entries of an NSDictionary with string keys, or of the class of dictionary that models in use have.
    func entries(_ value: PropertyListValue?) throws -> [(key: String, value: PropertyListValue)] {
        guard let index = try object(value)?.index else { return [] }
        return try pairs(value).map { key, value in
            guard let key = try string(key) else {
                throw archiveError("Object \(index) of the archive is a dictionary with a key that is no string.")
            }
            return (key, value)
        }
    }

    /// The entries of a dictionary with any keys.
    func pairs(_ value: PropertyListValue?) throws -> [(key: PropertyListValue, value: PropertyListValue)] {
        guard let object = try object(value) else { return [] }
        if let strategy = try object.object("searchMapping") {
            let keys = try elements(strategy.fields["keys"])
            let values = try elements(object.fields["values"])
            let token = try object.string("emptyToken")
            var entries: [(key: PropertyListValue, value: PropertyListValue)] = []
            for (key, value) in zip(keys, values) {
                guard try string(key) != nil else { continue }
                if let token, case .string(token)? = try resolve(value) { continue }
                entries.append((key, value))
            }
            return entries
        }
        guard case .array(let keys)? = object.fields["NS.keys"], case .array(let values)? = object.fields["NS.objects"],
            keys.count == values.count
        else {
            if object.fields["NS.keys"] == nil, object.fields["NS.objects"] == nil { return [] }
            throw archiveError("Object \(object.index) of the archive is a damaged dictionary.")
        }
        try spend(keys.count)
        return Array(zip(keys, values)).map { (key: $0, value: $1) }
    }
}
