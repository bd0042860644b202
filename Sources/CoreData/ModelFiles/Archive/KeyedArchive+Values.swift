import Foundation

/// A value of a class that this system does not have, kept unchanged so that it can be written again.
struct OpaqueArchivedValue {
    let object: ArchivedObject
}

extension KeyedArchive {
    private static let maximumDepth = 128

    /// A Foundation value: string, number, date, data, UUID, URL, decimal number, array, set or dictionary of such.
    ///
    /// `nil` for null. An object of another class throws `UnknownClass`.
    func value(_ value: PropertyListValue?, depth: Int = 0) throws -> Any? {
        try spend()
        guard depth < Self.maximumDepth else { throw archiveError("The archive's values are nested too deeply.") }
        switch try resolve(value) {
        case nil, .null?: return nil
        case .boolean(let flag)?: return NSNumber(value: flag)
        case .integer(let number)?: return NSNumber(value: number)
        case .real(let number)?: return NSNumber(value: number)
        case .date(let seconds)?: return Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data)?: return data
        case .string(let text)?: return text
        case .array(let elements)?: return try elements.compactMap { try self.value($0, depth: depth + 1) }
        case .dictionary?: break
        case .reference?: throw archiveError("The archive has a reference to a reference.")
        }
        guard let object = try object(value) else { return nil }
        func isKind(_ name: String) -> Bool { object.isKind(of: name) }
        if isKind("NSString") { return try string(value) }
        if isKind("NSDecimalNumber") { return try decimal(object) }
        if isKind("NSDate") {
            return Date(timeIntervalSinceReferenceDate: try resolve(object.fields["NS.time"])?.realValue ?? 0)
        }
        if isKind("NSData") {
            if case .data(let data)? = try resolve(object.fields["NS.data"]) { return data }
            return Data()
        }
        if isKind("NSUUID"), case .data(let bytes)? = try resolve(object.fields["NS.uuidbytes"]), bytes.count == 16 {
            return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
        if isKind("NSURL") {
            let base = try self.value(object.fields["NS.base"], depth: depth + 1) as? URL
            return try object.string("NS.relative").flatMap { URL(string: $0, relativeTo: base) }
        }
        if isKind("NSNull") { return NSNull() }
        if isKind("NSArray") { return try elements(value).compactMap { try self.value($0, depth: depth + 1) } }
        if isKind("NSSet") || isKind("NSOrderedSet") {
            let elements = try elements(value).compactMap { try self.value($0, depth: depth + 1) }
            // Foundation's hash of a decimal number does not terminate.
            guard !elements.contains(where: { $0 is NSDecimalNumber }) else {
                throw archiveError("Object \(object.index) of the archive is a set of decimal numbers.")
            }
            try spendOnComparing(elements)
            return isKind("NSSet") ? NSSet(array: elements) : NSOrderedSet(array: elements)
        }
        if isKind("NSDictionary") {
            let pairs = try pairs(value)
            let keys = try pairs.map { pair in
                guard let key = try self.value(pair.key, depth: depth + 1) as? AnyHashable,
                    !(key.base is NSDecimalNumber)
                else { throw archiveError("Object \(object.index) of the archive has a key that is none.") }
                return key
            }
            try spendOnComparing(keys.map(\.base))
            var result: [AnyHashable: Any] = [:]
            for (key, pair) in zip(keys, pairs) { result[key] = try self.value(pair.value, depth: depth + 1) }
            return result
        }
        throw UnknownClass(className: object.className, index: object.index)
    }

    /// How many elements of a set may have one hash in Foundation.
    private static let mostCompared = 63
    /// The weight of comparing two elements of a set, compared to a plain value.
    private static let weightOfComparing = 16

    /// Counts the comparisons of Foundation's sets, which compare all elements with equal hashes.
    ///
    /// Foundation's hash of a collection is its count, and its hashes of data and long texts leave out most bytes. Each
    /// cast of the set to another type compares the elements once more.
    private func spendOnComparing(_ elements: [Any]) throws {
        guard elements.count > 8 else { return }
        var counts: [AnyHashable: Int] = [:]
        for element in elements {
            guard let hashed = Self.hashedPart(of: element) else { continue }
            let count = counts[hashed, default: 0]
            guard count < Self.mostCompared else {
                throw archiveError("A set of the archive has more than \(Self.mostCompared) elements with one hash.")
            }
            try spend(count * Self.weightOfComparing)
            counts[hashed] = count + 1
        }
    }

    /// The part of a value on which Foundation's hash depends; nil if the hash depends on the whole value.
    private static func hashedPart(of value: Any) -> AnyHashable? {
        switch value {
        case let text as String:
            let units = text.utf16
            guard units.count > 96 else { return nil }
            return [UInt16(truncatingIfNeeded: units.count)] + units.prefix(32) + units.suffix(32)
        case is NSNumber, is Date: return nil
        case let data as Data: return data.prefix(80)
        case let list as NSArray: return list.count
        case let list as NSOrderedSet: return list.count
        case let set as NSSet: return set.count
        case let dictionary as NSDictionary: return dictionary.count
        default: return nil
        }
    }

    /// Thrown for an object of a class that is not one of Foundation's values.
    struct UnknownClass: LocalizedError {
        let className: String
        let index: Int
        var errorDescription: String? { "The archive holds an object of the class '\(className)'." }
    }

    /// The mantissa is 16 bytes in 16-bit digits, whose byte order the archive names (1 little, 2 big).
    private func decimal(_ object: ArchivedObject) throws -> NSDecimalNumber {
        guard case .data(let mantissa)? = try resolve(object.fields["NS.mantissa"]), mantissa.count == 16,
            let exponent = try object.integer("NS.exponent"), (-128...127).contains(exponent)
        else { throw archiveError("Object \(object.index) of the archive is a damaged decimal number.") }
        let isBigEndian = try object.integer("NS.mantissa.bo") == 2
        let isNegative = try object.flag("NS.negative")
        // NS.length counts the digits in use; no digits and a negative sign mean "not a number".
        let length = min(max(try object.integer("NS.length") ?? 8, 0), 8)
        if length == 0, isNegative { return .notANumber }
        let bytes = Array(mantissa)
        let base = Decimal(65536)
        var value = Decimal(0)
        for digit in (0..<length).reversed() {
            let (first, second) = (bytes[digit * 2], bytes[digit * 2 + 1])
            let number = isBigEndian ? Int(first) << 8 | Int(second) : Int(second) << 8 | Int(first)
            value = value * base + Decimal(number)
        }
        var result = Decimal()
        guard NSDecimalMultiplyByPowerOf10(&result, &value, Int16(exponent), .plain) == .noError else {
            throw archiveError("Object \(object.index) of the archive is a decimal number out of range.")
        }
        if isNegative { result.negate() }
        return NSDecimalNumber(decimal: result)
    }
}
