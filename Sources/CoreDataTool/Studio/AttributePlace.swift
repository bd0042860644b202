import CoreData

/// An attribute of an object, or an element of a composite one.
struct AttributePlace {
    let attribute: NSAttributeDescription
    /// The attribute's name, and those of elements within it.
    private let keys: [String]

    /// - Parameter path: the names with points between them.
    init(_ path: String, in entity: NSEntityDescription) throws {
        // A name may have a point itself.
        if let attribute = entity.attributesByName[path] {
            (self.attribute, keys) = (attribute, [path])
            return
        }
        let keys = path.split(separator: ".").map(String.init)
        var found = entity.attributesByName[keys.first ?? ""]
        for key in keys.dropFirst() {
            found = (found as? NSCompositeAttributeDescription)?.elements.first { $0.name == key }
        }
        guard let found else { throw Column.unknown(path, in: entity) }
        (attribute, self.keys) = (found, keys)
    }

    /// The attribute of the object itself.
    var key: String { keys[0] }

    func value(of object: NSManagedObject) -> Any? {
        keys.dropFirst().reduce(object.value(forKey: key)) { ($0 as? [String: Any])?[$1] }
    }

    /// The value of the object's attribute after this element gets another value. A composite without any element
    /// becomes nil.
    func setting(_ value: Any?, in object: NSManagedObject) -> Any? {
        Self.setting(value, at: keys.dropFirst(), in: object.value(forKey: key))
    }

    private static func setting(_ value: Any?, at keys: ArraySlice<String>, in old: Any?) -> Any? {
        guard let first = keys.first else { return value }
        var elements = old as? [String: Any] ?? [:]
        elements[first] = setting(value, at: keys.dropFirst(), in: elements[first])
        return elements.isEmpty ? nil : elements
    }
}
