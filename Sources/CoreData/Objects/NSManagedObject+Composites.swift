import Foundation

// Composite attributes: values of several slots under one name, as a dictionary.
extension NSManagedObject {
    /// The elements that have a value, by name; nil when none has.
    final func compositeValue(_ composite: CompositeAccess) -> [String: Any]? {
        compositeValue(composite) { boxedValue(at: $0) }
    }

    final func compositeValue(_ composite: CompositeAccess, _ value: (Int) -> Any?) -> [String: Any]? {
        var result: [String: Any] = [:]
        for (name, access) in composite.elements {
            switch access {
            case .attribute(let slot): result[name] = value(slot)
            case .composite(let inner): result[name] = compositeValue(inner, value)
            case .toOne, .toMany, .fetched: break
            }
        }
        return result.isEmpty ? nil : result
    }

    /// Sets all elements from a dictionary; those that are not in it become nil.
    final func setComposite(_ value: Any?, _ composite: CompositeAccess) {
        let values: [String: Any]
        switch value {
        case nil, is NSNull: values = [:]
        case let dictionary as [String: Any]: values = dictionary
        default:
            fatalError(
                """
                Unacceptable type of value for attribute: property = "\(composite.name)"; desired type = NSDictionary; \
                given type = \(value.map { "\(type(of: $0))" } ?? "nil"); entity = \(binding.layout.name).
                """)
        }
        for name in values.keys where composite.elements[name] == nil {
            fatalError(
                "the composite attribute \(composite.name) of entity \(binding.layout.name) has no element \"\(name)\"."
            )
        }
        if flags.contains(.watched) {
            setWatchedComposite(composite, values) { setElements(values, composite) }
        } else {
            setElements(values, composite)
        }
    }

    private func setElements(_ values: [String: Any], _ composite: CompositeAccess) {
        for (name, access) in composite.elements {
            switch access {
            case .attribute(let slot): setBoxedValue(values[name], at: slot)
            case .composite(let inner): setComposite(values[name], inner)
            case .toOne, .toMany, .fetched: break
            }
        }
    }

    /// Sets one element by its key path from this object; false when the path does not begin with a composite
    /// attribute.
    final func setElement(_ value: Any?, at keyPath: String) -> Bool {
        let keys = KeyValuePath(keyPath).keys
        guard case .composite(let composite)? = binding.layout.access[keys[0]] else { return false }
        checkConfinement("writing", keyPath)
        switch composite.access(at: keys.dropFirst()) {
        case .attribute(let slot)?: setBoxedValue(value, at: slot)
        case .composite(let inner)?: setComposite(value, inner)
        default:
            fatalError(
                "the entity \(binding.layout.name) is not key value coding-compliant for the key path \"\(keyPath)\".")
        }
        return true
    }
}

extension EntityLayout {
    /// The property that a name, or a key path into a composite attribute, leads to.
    final func access(at keyPath: String) -> PropertyAccess? {
        if let found = access[keyPath] { return found }
        let keys = KeyValuePath(keyPath).keys
        guard keys.count > 1, case .composite(let composite)? = access[keys[0]] else { return nil }
        return composite.access(at: keys.dropFirst())
    }
}

extension PropertyAccess {
    /// The element of a composite attribute that has no other element: SwiftData keeps an enumeration so. Any other
    /// property itself.
    var soleElement: PropertyAccess {
        guard case .composite(let composite) = self, composite.elements.count == 1,
            case .attribute(let slot)? = composite.elements.values.first
        else { return self }
        return .attribute(slot: slot)
    }
}

extension CompositeAccess {
    /// The property that a path of element names leads to.
    func access(at path: ArraySlice<String>) -> PropertyAccess? {
        guard let first = path.first, let access = elements[first] else { return nil }
        if path.count == 1 { return access }
        guard case .composite(let inner) = access else { return nil }
        return inner.access(at: path.dropFirst())
    }

    /// The slot that a path of element names leads to.
    func slot(at path: ArraySlice<String>) -> Int? {
        guard case .attribute(let slot)? = access(at: path) else { return nil }
        return slot
    }
}
