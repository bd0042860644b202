import CoreData

/// The values that an attribute's type and rules allow, each with a number.
struct SampleValues {
    let attribute: NSAttributeDescription
    private let rules: SampleRules
    private let pattern: PatternText?
    private let seed: UInt64
    /// The values of a number, in place of those of the type.
    var given: ((Int) -> Any?)?

    init(_ attribute: NSAttributeDescription, seed: UInt64) {
        self.attribute = attribute
        self.seed = seed
        rules = SampleRules(attribute.validationPredicates)
        pattern = rules.pattern.flatMap { PatternText($0) }
    }

    /// The value of a number that every rule allows; nil if none of a few candidates does. Other numbers give other
    /// values, as long as there are any.
    func value(_ number: Int) -> Any? {
        if let given { return given(number) }
        // The simple candidates come first, because a rule that `SampleRules` cannot read may still allow one of them.
        for candidate in candidates(number) where isAllowed(candidate) { return candidate }
        return nil
    }

    /// The first values that differ, at most the given number. There are fewer if the rules leave no more.
    func differing(most: Int) -> [Any] {
        var found: [Any] = []
        var texts: Set<String> = []
        for number in 0..<most {
            guard let value = value(number), texts.insert("\(value)").inserted else { continue }
            found.append(value)
        }
        return found
    }

    private func isAllowed(_ value: Any) -> Bool {
        attribute.validationPredicates.allSatisfy { $0.evaluate(with: value) }
    }

    private func candidates(_ number: Int) -> [Any] {
        if !rules.choices.isEmpty { return [rules.choices[number % rules.choices.count]] }
        switch attribute.attributeType {
        case .integer16AttributeType: return [NSNumber(value: integer(number, -32_768, 32_767))]
        case .integer32AttributeType: return [NSNumber(value: integer(number, -2_147_483_648, 2_147_483_647))]
        case .integer64AttributeType: return [NSNumber(value: integer(number, -(1 << 53), 1 << 53))]
        case .doubleAttributeType: return [NSNumber(value: real(number, 0.5))]
        case .floatAttributeType: return [NSNumber(value: Float(real(number, 0.25)))]
        case .decimalAttributeType:
            let isFree = rules.lower == nil && rules.upper == nil
            let text = isFree ? "\(number).5" : "\(real(number, 0.5))"
            return [NSDecimalNumber(string: text)] + limits.map { NSDecimalNumber(string: "\($0)") }
        case .booleanAttributeType: return [NSNumber(value: number % 2 == 0), NSNumber(value: number % 2 != 0)]
        case .stringAttributeType: return texts(number)
        case .dateAttributeType: return [Date(timeIntervalSinceReferenceDate: moment(number))]
        case .binaryDataAttributeType: return [data(number)]
        case .UUIDAttributeType: return [uuid(number)]
        case .URIAttributeType: return [URL(string: "https://example.org/\(number)")].compactMap(\.self)
        case .transformableAttributeType: return transformables(number)
        case .compositeAttributeType: return [composite(number)].compactMap(\.self)
        case .undefinedAttributeType, .objectIDAttributeType: return []
        }
    }

    // MARK: Numbers

    private var limits: [Double] { [rules.lower, rules.upper].compactMap { $0?.value } }

    private func integer(_ number: Int, _ least: Int, _ most: Int) -> Int {
        func inside(_ value: Double) -> Int { Int(max(Double(least), min(Double(most), value))) }
        let lower = rules.lower.map { inside($0.isOpen ? $0.value.rounded(.down) + 1 : $0.value.rounded(.up)) }
        let upper = rules.upper.map { inside($0.isOpen ? $0.value.rounded(.up) - 1 : $0.value.rounded(.down)) }
        if lower == nil, let upper, upper < most { return upper - number % (upper - least + 1) }
        let start = lower ?? 0
        return start + number % max(1, (upper ?? most) - start + 1)
    }

    /// A number within the limits. Numbers between two limits never equal one of them.
    private func real(_ number: Int, _ fraction: Double) -> Double {
        switch (rules.lower?.value, rules.upper?.value) {
        case (nil, nil): return Double(number) + fraction
        case (let lower?, nil): return lower + Double(number) + fraction
        case (nil, let upper?): return upper - Double(number) - fraction
        case (let lower?, let upper?):
            if lower == upper { return lower }
            return lower + (upper - lower) * (Double(number % 997) + 1) / 998
        }
    }

    private func moment(_ number: Int) -> Double {
        guard rules.lower == nil, rules.upper == nil else { return real(number, 0.25) }
        return Double(number) * 1000 + 0.25
    }

    // MARK: Texts and bytes

    private func texts(_ number: Int) -> [Any] {
        if rules.pattern != nil {
            let lengths = [rules.shortest, rules.longest ?? 8, 1, 4, 30]
            return lengths.compactMap { pattern?.text(number, about: $0) }
        }
        let (least, most) = (rules.shortest, rules.longest ?? 10_000)
        let room = most - rules.prefix.count - rules.infix.count - rules.suffix.count
        let digits = String(number, radix: 36)
        let full = "\(attribute.name) \(number)"
        var middle = full.count <= room ? full : String(digits.suffix(max(0, room)))
        let missing = least - (most - room) - middle.count
        if missing > 0 { middle = String(repeating: "-", count: missing) + middle }
        return [rules.prefix + middle + rules.infix + rules.suffix, "\(number)", "a\(number)@example.org"]
    }

    private func data(_ number: Int) -> Data {
        let isLarge = attribute.allowsExternalBinaryDataStorage && number % 10 == 0
        let text = Data("\(attribute.name) \(number)".utf8)
        let count = isLarge ? 150_000 : max(rules.shortest, min(text.count + 3, rules.longest ?? .max))
        return text.suffix(count) + Data(repeating: UInt8(number % 251), count: max(0, count - text.count))
    }

    private func uuid(_ number: Int) -> UUID {
        var random = SampleRandom(state: seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { bytes in
            for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return UUID(uuid: uuid)
    }

    // MARK: Made of other values

    /// The values that the transformer, or the archive in its place, takes and returns. A program's own transformer
    /// gets only values of the class that the model names, because another class may end the process.
    private func transformables(_ number: Int) -> [Any] {
        let text = "\(attribute.name) \(number)"
        let plain: [String: NSObject] = [
            "NSArray": NSArray(array: [text]), "NSString": text as NSString, "NSNumber": NSNumber(value: number),
            "NSData": Data(text.utf8) as NSData, "NSDictionary": NSDictionary(dictionary: ["text": text]),
            "NSDate": Date(timeIntervalSinceReferenceDate: Double(number)) as NSDate,
            "NSSet": NSSet(array: [text]), "NSURL": URL(fileURLWithPath: "/\(number)") as NSURL,
        ]
        let named = attribute.attributeValueClassName.flatMap { plain[$0] }
        switch NSValueTransformerName(attribute.valueTransformerName ?? "").registered {
        case nil: return [named ?? plain["NSArray"]].compactMap(\.self)
        case let transformer as NSSecureUnarchiveFromDataTransformer:
            let others = plain.sorted { $0.key < $1.key }.map(\.value)
            return ([named].compactMap(\.self) + others).filter { transformer.reverseTransformedValue($0) is Data }
        case let transformer?:
            guard let named, let data = transformer.transformedValue(named) as? Data,
                type(of: transformer).allowsReverseTransformation(),
                (transformer.reverseTransformedValue(data) as? NSObject)?.isEqual(named) == true
            else { return [] }
            return [named]
        }
    }

    private func composite(_ number: Int) -> [String: Any]? {
        guard let composite = attribute as? NSCompositeAttributeDescription else { return nil }
        var values: [String: Any] = [:]
        for element in composite.elements {
            if let value = SampleValues(element, seed: seed).value(number) {
                values[element.name] = value
            } else if !element.isOptional {
                return nil
            }
        }
        return values
    }
}

extension NSValueTransformerName {
    /// The transformer of this name in this process.
    var registered: ValueTransformer? { rawValue.isEmpty ? nil : ValueTransformer(forName: self) }
}
