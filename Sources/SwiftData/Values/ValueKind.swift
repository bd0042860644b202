import CoreData
import Foundation

/// The way in which a store keeps values of a type.
indirect enum ValueKind {
    /// One attribute.
    case scalar(NSAttributeType)
    /// A composite attribute with one element, the raw value.
    case rawEnumeration(NSAttributeType)
    /// A composite attribute with an element for each case.
    case enumeration([EnumerationCase])
    /// A composite attribute with an element for each field.
    case structure([StructureField])
    /// Bytes of a keyed archive.
    case archive
    /// Bytes of JSON.
    case json
    /// None: the text says why.
    case none(String)

    var isRawEnumeration: Bool {
        if case .rawEnumeration = self { true } else { false }
    }

    private static let known = Locked<[ObjectIdentifier: ValueKind]>([:])
    /// One thread at a time finds kinds: another one must not see the kind of a type whose fields are being read.
    private static let finding = NSRecursiveLock()
    /// The types whose fields are being read, under `finding`.
    nonisolated(unsafe) private static var unfinished: Set<ObjectIdentifier> = []

    /// The kind of a type, without its optional.
    static func of(_ declared: any Any.Type) -> ValueKind {
        let type = (declared as? any OptionalType.Type)?.wrappedType ?? declared
        if let kind = known.withLock({ $0[ObjectIdentifier(type)] }) { return kind }
        finding.lock()
        defer { finding.unlock() }
        if let kind = known.withLock({ $0[ObjectIdentifier(type)] }) { return kind }
        // A structure may contain itself in an array.
        guard unfinished.insert(ObjectIdentifier(type)).inserted else { return .json }
        defer { unfinished.remove(ObjectIdentifier(type)) }
        let found = find(type)
        known.withLock { $0[ObjectIdentifier(type)] = found }
        return found
    }

    private static func find(_ type: any Any.Type) -> ValueKind {
        if let scalar = scalars[ObjectIdentifier(type)] { return .scalar(scalar) }
        if let list = type as? any PrimitiveList.Type, scalars[ObjectIdentifier(list.element)] != nil {
            return .archive
        }
        let shape = TypeShape(type)
        if shape == .enumeration {
            if let raw = type as? any RawRepresentable.Type, let scalar = scalars[ObjectIdentifier(rawType(raw))] {
                return .rawEnumeration(scalar)
            }
            guard let codable = type as? any Decodable.Type, type is any Encodable.Type else {
                guard let raw = type as? any RawRepresentable.Type else {
                    return .none("the enumeration \(type) has no raw value and is not Codable")
                }
                return .none("the raw values of \(type) have the type \(rawType(raw)), which no attribute has")
            }
            guard let cases = EnumerationCase.all(of: codable) else { return .json }
            return .enumeration(cases)
        }
        let isCodable = type is any Decodable.Type && type is any Encodable.Type
        if shape == .structure, isOfProgram(type), !(type is any Collection.Type) {
            let fields = StructureField.all(of: type)
            for field in fields {
                if case .none(let text) = field.kind { return .none("the field '\(field.name)' of \(type): \(text)") }
            }
            if !fields.isEmpty, isCodable { return .structure(fields) }
        }
        if isCodable { return .json }
        if let list = type as? any PrimitiveList.Type, case .none(let text) = of(list.element) { return .none(text) }
        return .none("the type \(type) is not Codable" + (type is AnyClass ? ", and no class with @Model" : ""))
    }

    private static func rawType<Raw: RawRepresentable>(_ type: Raw.Type) -> any Any.Type { Raw.RawValue.self }

    /// Whether a type is not one of the libraries', whose fields are their own business.
    private static func isOfProgram(_ type: any Any.Type) -> Bool {
        let module = _typeName(type).prefix { $0 != "." }
        return module != "Swift" && !module.hasPrefix("Foundation") || type == CGPoint.self || type == CGSize.self
            || type == CGRect.self
    }

    /// The types that one attribute has. The first type of each attribute type stands for it.
    private static let plain: [(kind: NSAttributeType, types: [any Any.Type])] = [
        (.integer64AttributeType, [Int.self, Int64.self, UInt.self, UInt64.self, UInt32.self]),
        (.integer32AttributeType, [Int32.self, UInt16.self]),
        (.integer16AttributeType, [Int16.self, Int8.self, UInt8.self]),
        (.booleanAttributeType, [Bool.self]),
        (.doubleAttributeType, [Double.self, CGFloat.self]),
        (.floatAttributeType, [Float.self]),
        (.decimalAttributeType, [Decimal.self]),
        (.stringAttributeType, [String.self]),
        (.dateAttributeType, [Date.self]),
        (.binaryDataAttributeType, [Data.self]),
        (.UUIDAttributeType, [UUID.self]),
        (.URIAttributeType, [URL.self]),
    ]

    static var plainTypes: [any Any.Type] { plain.flatMap(\.types) }

    /// The type that stands for an attribute type.
    static func plainType(of kind: NSAttributeType) -> (any Any.Type)? { plain.first { $0.kind == kind }?.types.first }

    private static let scalars: [ObjectIdentifier: NSAttributeType] = Dictionary(
        uniqueKeysWithValues: plain.flatMap { kind, types in types.map { (ObjectIdentifier($0), kind) } })
}

/// Whether a type is a structure or an enumeration, by the standard library's reflection.
enum TypeShape {
    case structure, enumeration, other

    init(_ type: any Any.Type) {
        // The first word of the metadata of a type that is no class is its kind: 0x200 and 0x201 are stable.
        switch unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee {
        case 0x200: self = .structure
        case 0x201: self = .enumeration
        default: self = .other
        }
    }
}

/// An array, of which the elements' type is known.
protocol PrimitiveList {
    static var element: any Any.Type { get }
}

extension Array: PrimitiveList {
    static var element: any Any.Type { Element.self }
}
