import Foundation

/// How the results of a fetched-results controller are ordered and divided.
struct FetchedOrder {
    let sortDescriptors: [NSSortDescriptor]
    let sectionKeyPath: KeyValuePath?

    var isSectioned: Bool { sectionKeyPath != nil }

    /// How two objects are ordered by their present values.
    func compare(_ a: NSObject, _ b: NSObject) -> ComparisonResult {
        for descriptor in sortDescriptors {
            let result = descriptor.compare(a, to: b)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    /// The name of the section an object belongs to by its present values.
    func sectionName(of object: NSObject) -> String {
        guard let sectionKeyPath else { return "" }
        if let object = object as? NSManagedObject { return Self.sectionName(of: sectionKeyPath.value(of: object)) }
        return Self.sectionName(of: sectionKeyPath.value(in: object))
    }

    /// The name that a value at the section's key path gives.
    static func sectionName(of value: Any?) -> String {
        // A cast from an optional of anything costs several times as much as one of what is in it.
        guard let value else { return "" }
        return switch value {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case is NSNull: ""
        default: "\(value)"
        }
    }

    /// The sections of objects in order. `outOfOrder` is the first object whose section was left before it.
    func sections(of items: [NSObject]) -> (sections: [FetchedArrangement.Section], outOfOrder: Int?) {
        guard isSectioned else { return ([FetchedArrangement.Section(name: "", start: 0)], nil) }
        var sections: [FetchedArrangement.Section] = []
        var known: Set<String> = []
        for (index, item) in items.enumerated() {
            let name = sectionName(of: item)
            if sections.last?.name == name { continue }
            guard known.insert(name).inserted else { return (sections, index) }
            sections.append(FetchedArrangement.Section(name: name, start: index))
        }
        return (sections, nil)
    }

    /// The objects, those of one section together, sections in the order of their first object.
    func grouped(_ items: [NSObject]) -> [NSObject] {
        var names: [String] = []
        var groups: [String: [NSObject]] = [:]
        for item in items {
            let name = sectionName(of: item)
            if groups[name] == nil { names.append(name) }
            groups[name, default: []].append(item)
        }
        return names.flatMap { groups[$0] ?? [] }
    }
}
