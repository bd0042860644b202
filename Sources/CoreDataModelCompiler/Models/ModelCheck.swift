/// Compares the `@NSManaged` members of a target with its models.
struct ModelCheck {
    let models: [ModelSource]
    /// Types that the target declares itself, whose meaning the check cannot find out.
    let ownTypes: Set<String>

    /// The entities whose objects have the class.
    private func entities(ofClass name: String) -> [(model: ModelSource, entity: ModelSource.Entity)] {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        return models.flatMap { model in
            model.entities.filter { $0.className == name || $0.className == last }.map { (model, $0) }
        }
    }

    /// The properties of objects of the class; nil if no model of the target has the class.
    func propertyNames(ofClass name: String) -> Set<String>? {
        let found = entities(ofClass: name)
        return found.isEmpty ? nil : Set(found.flatMap { $0.model.allProperties(of: $0.entity) }.map(\.name))
    }

    /// The problem of a member; nil if it fits, or if no model of the target has the class.
    func problem(with member: ManagedMember, access: MemberAccess) -> String? {
        let found = entities(ofClass: member.className)
        guard let first = found.first else { return nil }
        let properties = found.flatMap { $0.model.allProperties(of: $0.entity) }.filter { $0.name == access.key }
        guard !properties.isEmpty else {
            return "'\(access.key)' is not a property of entity '\(first.entity.name)' in model '\(first.model.name)'"
        }
        switch (member.kind, access) {
        case (.property(let type, _), _):
            if properties.contains(where: { fits(type, $0) }) { return nil }
            return
                "the type '\(type)' does not fit the property '\(access.key)' of entity '\(first.entity.name)' in model "
                + "'\(first.model.name)', which is \(Self.name(of: properties[0]))"
        case (.method, _):
            if properties.contains(where: \.isToMany) { return nil }
            return
                "'\(access.key)' of entity '\(first.entity.name)' in model '\(first.model.name)' is no to-many relationship"
        }
    }

    private static let numbers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Bool", "NSNumber",
        "NSDecimalNumber",
    ]
    private static let fractions: Set<String> = [
        "Double", "Float", "CGFloat", "TimeInterval", "NSNumber", "NSDecimalNumber",
    ]
    private static let fittingTypes: [String: Set<String>] = [
        "Integer 16": numbers, "Integer 32": numbers, "Integer 64": numbers, "Boolean": numbers,
        "Double": fractions, "Float": fractions, "Date": ["Date", "NSDate", "TimeInterval", "Double"],
        "Decimal": ["Decimal", "NSDecimalNumber", "NSNumber"], "String": ["String", "NSString"],
        "Binary": ["Data", "NSData"], "UUID": ["UUID", "NSUUID"], "URI": ["URL", "NSURL"],
    ]
    private static let simpleTypes = fittingTypes.values.reduce(into: Set<String>()) { $0.formUnion($1) }

    /// Whether a declared type can be right. Types outside the standard libraries may be anything.
    private func fits(_ type: String, _ property: ModelSource.Property) -> Bool {
        var name = type.filter { !$0.isWhitespace }
        while name.hasSuffix("?") || name.hasSuffix("!") { name.removeLast() }
        if name.hasPrefix("Optional<"), name.hasSuffix(">") { name = String(name.dropFirst(9).dropLast()) }
        for module in ["Foundation.", "Swift."] where name.hasPrefix(module) {
            name = String(name.dropFirst(module.count))
        }
        guard Self.simpleTypes.contains(name), !ownTypes.contains(name) else { return true }
        guard case .attribute(let attributeType, _, _) = property.kind else { return false }
        return Self.fittingTypes[attributeType]?.contains(name) ?? true
    }

    private static func name(of property: ModelSource.Property) -> String {
        switch property.kind {
        case .attribute(let type, _, _): "an attribute of type \(type)"
        case .toOne: "a to-one relationship"
        case .toMany: "a to-many relationship"
        case .fetched: "a fetched property"
        }
    }
}
