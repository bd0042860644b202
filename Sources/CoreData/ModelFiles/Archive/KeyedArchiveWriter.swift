import Foundation

/// Collects the objects of a keyed archive. An object gets its number before its content, so that cycles are written as
/// references.
struct KeyedArchiveWriter {
    private var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: PropertyListValue] = [:]
    private var strings: [String: PropertyListValue] = [:]

    /// The reference that stands for no object.
    static let null = PropertyListValue.reference(0)

    /// A number for an object whose content follows.
    mutating func reserve() -> PropertyListValue {
        objects.append(.null)
        return .reference(objects.count - 1)
    }

    /// Gives a reserved object its content.
    mutating func fill(_ reserved: PropertyListValue, _ chain: [String], _ fields: [String: PropertyListValue]) {
        guard case .reference(let index) = reserved else { return }
        var fields = fields
        fields["$class"] = classReference(chain)
        objects[index] = .dictionary(fields)
    }

    /// Adds an object of a class, which is given by its name and those of its superclasses.
    mutating func add(_ chain: [String], _ fields: [String: PropertyListValue]) -> PropertyListValue {
        let reference = reserve()
        fill(reference, chain, fields)
        return reference
    }

    /// Adds a scalar as an object of its own; equal strings are written once.
    mutating func add(scalar: PropertyListValue) -> PropertyListValue {
        if case .string(let text) = scalar, let known = strings[text] { return known }
        objects.append(scalar)
        let reference = PropertyListValue.reference(objects.count - 1)
        if case .string(let text) = scalar { strings[text] = reference }
        return reference
    }

    mutating func add(string: String?) -> PropertyListValue {
        string.map { add(scalar: .string($0)) } ?? Self.null
    }

    mutating func add(array: [PropertyListValue]) -> PropertyListValue {
        add(["NSArray", "NSObject"], ["NS.objects": .array(array)])
    }

    mutating func add(set: [PropertyListValue]) -> PropertyListValue {
        add(["NSSet", "NSObject"], ["NS.objects": .array(set)])
    }

    mutating func add(dictionary: [(key: String, value: PropertyListValue)]) -> PropertyListValue {
        let keys = dictionary.map { add(string: $0.key) }
        return add(
            ["NSDictionary", "NSObject"],
            ["NS.keys": .array(keys), "NS.objects": .array(dictionary.map(\.value))])
    }

    mutating func add(mutableArray: [PropertyListValue]) -> PropertyListValue {
        add(["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .array(mutableArray)])
    }

    mutating func add(mutableDictionary: [(key: String, value: PropertyListValue)]) -> PropertyListValue {
        let keys = mutableDictionary.map { add(string: $0.key) }
        return add(
            ["NSMutableDictionary", "NSDictionary", "NSObject"],
            ["NS.keys": .array(keys), "NS.objects": .array(mutableDictionary.map(\.value))])
    }

    /// Adds a dictionary of the class whose keys do not change, in which a value may be absent: the token.
    mutating func add(knownKeys: [(key: String, value: PropertyListValue)]) -> PropertyListValue {
        let mapping = add(
            ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            [
                "version": .integer(1), "length": .integer(Int64(knownKeys.count)),
                "keys": add(array: knownKeys.map { add(string: $0.key) }),
            ])
        return add(
            [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject",
            ],
            [
                "version": .integer(1), "searchMapping": mapping,
                "emptyToken": add(string: "__empty_slot_token_4c24_98dc_ac1e_b773__"),
                "values": add(array: knownKeys.map(\.value)),
            ])
    }

    private mutating func classReference(_ chain: [String]) -> PropertyListValue {
        if let known = classes[chain[0]] { return known }
        objects.append(
            .dictionary(["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })]))
        let reference = PropertyListValue.reference(objects.count - 1)
        classes[chain[0]] = reference
        return reference
    }

    /// The archive with the given object at its top.
    func archive(root: PropertyListValue) -> Data {
        BinaryPropertyListWriter.write(
            .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": root]), "$objects": .array(objects),
            ]))
    }

    // MARK: Values

    /// The greatest depth of nested values. No value needs more, except a collection that holds itself.
    static let maximumDepth = 128

    /// Adds a Foundation value; throws for values of other classes, and for values that are nested too deeply.
    mutating func add(value: Any?, depth: Int = 0) throws -> PropertyListValue {
        guard let value else { return Self.null }
        guard depth < Self.maximumDepth, !(value is NSCountedSet) else { throw Self.unarchivable(value) }
        if type(of: value) != String.self, let added = try add(changeable: value as AnyObject, depth) { return added }
        switch value {
        case let text as String: return add(string: text)
        case let decimal as NSDecimalNumber: return add(decimal: decimal)
        case let decimal as Decimal: return add(decimal: NSDecimalNumber(decimal: decimal))
        case let number as NSNumber: return add(scalar: Self.scalar(number))
        case let date as Date:
            return add(["NSDate", "NSObject"], ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case let data as Data: return add(["NSData", "NSObject"], ["NS.data": .data(data)])
        case let uuid as UUID:
            let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
            return add(["NSUUID", "NSObject"], ["NS.uuidbytes": .data(bytes)])
        case let url as URL:
            return add(
                ["NSURL", "NSObject"], ["NS.base": Self.null, "NS.relative": add(string: url.absoluteString)])
        case is NSNull: return add(["NSNull", "NSObject"], [:])
        case let array as [Any]: return add(array: try array.map { try add(value: $0, depth: depth + 1) })
        case let set as NSSet: return add(set: try set.allObjects.map { try add(value: $0, depth: depth + 1) })
        case let set as Set<AnyHashable>: return add(set: try set.map { try add(value: $0.base, depth: depth + 1) })
        case let dictionary as [String: Any]:
            return add(
                dictionary: try dictionary.sorted { $0.key < $1.key }.map {
                    ($0.key, try add(value: $0.value, depth: depth + 1))
                })
        case let dictionary as NSDictionary:
            return add(["NSDictionary", "NSObject"], try entries(of: dictionary, depth))
        case let set as NSOrderedSet: return add(["NSOrderedSet", "NSObject"], try elements(of: set, depth))
        default: throw Self.unarchivable(value)
        }
    }

    private static func unarchivable(_ value: Any) -> NSError {
        .coreData(NSCoreDataError, reason: "A value of the type \(type(of: value)) cannot be archived in a model.")
    }

    /// Adds an object of one of the mutable classes, under its own name; nil for an object of another class.
    private mutating func add(changeable object: AnyObject, _ depth: Int) throws -> PropertyListValue? {
        switch object {
        case let text as NSMutableString:
            return add(
                ["NSMutableString", "NSString", "NSObject"], ["NS.string": .string(String(describing: text))])
        case let data as NSMutableData:
            return add(["NSMutableData", "NSData", "NSObject"], ["NS.data": .data(Data(referencing: data))])
        case let array as NSMutableArray:
            let elements = try array.map { try add(value: $0, depth: depth + 1) }
            return add(["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .array(elements)])
        case let set as NSMutableSet:
            let elements = try set.allObjects.map { try add(value: $0, depth: depth + 1) }
            return add(["NSMutableSet", "NSSet", "NSObject"], ["NS.objects": .array(elements)])
        case let set as NSMutableOrderedSet:
            return add(["NSMutableOrderedSet", "NSOrderedSet", "NSObject"], try elements(of: set, depth))
        case let dictionary as NSMutableDictionary:
            return add(["NSMutableDictionary", "NSDictionary", "NSObject"], try entries(of: dictionary, depth))
        default: return nil
        }
    }

    private mutating func entries(of dictionary: NSDictionary, _ depth: Int) throws -> [String: PropertyListValue] {
        let entries = Array(dictionary)
        let keys = try entries.map { try add(value: $0.key, depth: depth + 1) }
        let values = try entries.map { try add(value: $0.value, depth: depth + 1) }
        return ["NS.keys": .array(keys), "NS.objects": .array(values)]
    }

    /// The elements as NS.object.0, NS.object.1 …, as an ordered set archives them.
    private mutating func elements(of set: NSOrderedSet, _ depth: Int) throws -> [String: PropertyListValue] {
        var fields: [String: PropertyListValue] = [:]
        for (index, element) in set.enumerated() {
            fields["NS.object.\(index)"] = try add(value: element, depth: depth + 1)
        }
        return fields
    }

    private static func scalar(_ number: NSNumber) -> PropertyListValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            number === NSNumber(value: number.boolValue) || number.isEqual(NSNumber(value: number.boolValue))
                ? .boolean(number.boolValue) : .integer(number.int64Value)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    private mutating func add(decimal: NSDecimalNumber) -> PropertyListValue {
        let value = decimal.decimalValue
        var magnitude = value.magnitude
        var exponent = value.exponent
        var digits: [UInt16] = []
        // The significand as a whole number, divided into 16-bit digits.
        var whole = Decimal()
        if NSDecimalMultiplyByPowerOf10(&whole, &magnitude, Int16(-exponent), .plain) != .noError {
            whole = 0
            exponent = 0
        }
        let base = Decimal(65536)
        while whole > 0, digits.count < 8 {
            var quotient = whole / base
            var floor = Decimal()
            NSDecimalRound(&floor, &quotient, 0, .down)
            let digit = whole - floor * base
            digits.append(UInt16(truncatingIfNeeded: NSDecimalNumber(decimal: digit).intValue))
            whole = floor
        }
        var mantissa = Data()
        for index in 0..<8 {
            let digit = index < digits.count ? digits[index] : 0
            mantissa.append(contentsOf: [UInt8(digit & 0xFF), UInt8(digit >> 8)])
        }
        let isNaN = decimal == .notANumber
        return add(
            ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            [
                "NS.mantissa": .data(mantissa), "NS.mantissa.bo": .integer(1), "NS.exponent": .integer(Int64(exponent)),
                "NS.negative": .boolean(isNaN || value.isSignMinus),
                "NS.length": .integer(Int64(isNaN ? 0 : digits.count)),
                // True would promise that no shorter mantissa has this value.
                "NS.compact": .boolean(false),
            ])
    }

    /// Copies an object of another archive unchanged, with everything to which it refers.
    mutating func add(_ opaque: OpaqueArchivedValue) throws -> PropertyListValue {
        var copies: [Int: PropertyListValue] = [:]
        return try copy(.reference(opaque.object.index), of: opaque.object.archive, &copies, depth: 0)
    }

    private mutating func copy(
        _ value: PropertyListValue, of archive: KeyedArchive, _ copies: inout [Int: PropertyListValue], depth: Int
    ) throws -> PropertyListValue {
        guard depth < 64 else { throw archiveError("A default value of the archive is nested too deeply.") }
        switch value {
        case .array(let elements):
            return .array(try elements.map { try copy($0, of: archive, &copies, depth: depth + 1) })
        case .dictionary(let fields):
            return .dictionary(try fields.mapValues { try copy($0, of: archive, &copies, depth: depth + 1) })
        case .reference(let index):
            if let known = copies[index] { return known }
            guard let target = try archive.resolve(value) else { return Self.null }
            guard case .dictionary = target else { return add(scalar: target) }
            guard let object = try archive.object(value) else { return Self.null }
            let reference = reserve()
            copies[index] = reference
            var fields = object.fields
            fields["$class"] = nil
            let copied = try fields.mapValues { try copy($0, of: archive, &copies, depth: depth + 1) }
            fill(reference, object.description.chain, copied)
            return reference
        default: return value
        }
    }
}
