@_spi(Reflection) import Swift

/// A stored field of a structure.
struct StructureField {
    let name: String
    let type: any Any.Type
    let offset: Int

    var isOptional: Bool { type is any OptionalType.Type }
    /// The kind of the field's values. A collection in a structure is JSON.
    var kind: ValueKind {
        if case .archive = ValueKind.of(type) { return .json }
        return ValueKind.of(type)
    }

    /// The fields of a structure in declared order.
    static func all(of type: any Any.Type) -> [StructureField] {
        var fields: [StructureField] = []
        _forEachField(of: type, options: []) { name, offset, type, _ in
            fields.append(StructureField(name: String(cString: name), type: type, offset: offset))
            return true
        }
        return fields
    }
}
