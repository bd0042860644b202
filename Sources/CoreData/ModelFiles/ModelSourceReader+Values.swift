import Foundation

/// Converts the values in an XML source, which are text, to the types of their attributes.
extension ModelSourceReader {
    /// The types as Xcode writes them.
    static let typeNames = [
        "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "Boolean", "Date", "Binary",
        "UUID", "URI", "Transformable", "Composite", "Undefined",
    ]

    /// The type an attribute element names; absent means undefined. Case and spaces do not count.
    func attributeType(of source: XMLTreeElement) throws -> NSAttributeType {
        try attributeType(named: source.text("attributeType"), at: source)
    }

    /// The type with a name of the editor; the undefined type without a name.
    func attributeType(named text: String?, at source: XMLTreeElement) throws -> NSAttributeType {
        guard let text else { return .undefinedAttributeType }
        switch text.lowercased().filter({ !$0.isWhitespace }) {
        case "", "undefined": return .undefinedAttributeType
        case "integer16": return .integer16AttributeType
        case "integer32": return .integer32AttributeType
        case "integer64": return .integer64AttributeType
        case "decimal": return .decimalAttributeType
        case "double": return .doubleAttributeType
        case "float": return .floatAttributeType
        case "string": return .stringAttributeType
        case "boolean": return .booleanAttributeType
        case "date": return .dateAttributeType
        case "binary", "binarydata": return .binaryDataAttributeType
        case "uuid": return .UUIDAttributeType
        case "uri": return .URIAttributeType
        case "transformable": return .transformableAttributeType
        case "composite": return .compositeAttributeType
        default:
            var nearest = NearestName.hint(text, among: Self.typeNames)
            if composites[text] != nil {
                nearest = "; for the composite write attributeType=\"Composite\" composite=\"\(text)\"."
            }
            throw error(
                "unknown attribute type '\(text)'\(nearest.isEmpty ? "." : nearest) The types are "
                    + "\(Self.typeNames.joined(separator: ", ")).", at: source)
        }
    }

    /// The default value of an attribute element, typed; `nil` when it has none, or one that the type cannot represent.
    func defaultValue(of source: XMLTreeElement, type: NSAttributeType) -> Any? {
        if type == .dateAttributeType, source.text("defaultDateTimeInterval") != nil {
            return number("defaultDateTimeInterval", of: source).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        guard let text = source.attributes["defaultValueString"] else { return nil }
        if type == .stringAttributeType { return text }
        // The editor leaves an empty string behind when a default is removed.
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        let written = SourceValue(text, type: type)
        let what = "the default value '\(text)' of an attribute of type \(source.text("attributeType") ?? "Undefined")"
        switch (written.value, written.remark) {
        case (nil, _):
            let remedy =
                switch type {
                case .dateAttributeType: "; write defaultDateTimeInterval, in seconds after 2001."
                case .booleanAttributeType: "; write YES or NO."
                case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
                    .doubleAttributeType, .floatAttributeType:
                    "; write a number, such as defaultValueString=\"0\"."
                default: "; remove defaultValueString."
                }
            warn("\(what) is none, so the attribute has no default\(remedy)", at: source)
        case (let value?, .readAs?): warn("\(what) is read as \(value).", at: source)
        case (_, .outOfRange?): warn("\(what) is out of its range.", at: source)
        case (_, nil): break
        }
        return written.value
    }

    /// A number in an attribute of the source; `nil` when it has none. Text that is no number causes a warning.
    func number(_ attribute: String, of source: XMLTreeElement) -> Double? {
        number(attribute, of: source, "is not a number") { text in
            let written = SourceValue(text, type: .doubleAttributeType)
            return (written.value as? NSNumber)?.doubleValue.isFinite == true ? written : nil
        }?.doubleValue
    }

    /// The number to which `read` converts an attribute's text. Nil if there is no text, or if `read` cannot convert
    /// it. The latter causes a warning with `fault`, and so does a number that differs from the text.
    func number(
        _ attribute: String, of source: XMLTreeElement, _ fault: String, saysRange: Bool = true,
        read: (String) -> SourceValue?
    ) -> NSNumber? {
        guard let text = source.text(attribute), !text.allSatisfy(\.isWhitespace) else { return nil }
        guard let written = read(text), let number = written.value as? NSNumber else {
            warn("\(attribute) is '\(text)', which \(fault) and does not count.", at: source)
            return nil
        }
        if written.remark == .readAs || saysRange && written.remark == .outOfRange {
            warn("\(attribute) '\(text)' is read as \(number).", at: source)
        }
        return number
    }

    /// A limit of a numeric attribute. The limit of an integer attribute may have a fraction.
    func limit(_ attribute: String, of source: XMLTreeElement, type: NSAttributeType) -> NSNumber? {
        number(attribute, of: source, "does not fit the type of the attribute", saysRange: false) { text in
            let written = SourceValue(text, type: type)
            guard written.remark == .readAs, Double(text) != nil else { return written }
            return SourceValue(text, type: .doubleAttributeType)
        }
    }
}

/// A text of a model's source as the value of an attribute.
///
/// Xcode keeps the typed text, also when the attribute gets another type: an integer attribute may have the default
/// "NO".
struct SourceValue {
    /// The remark about a value whose text is not in the form of its type.
    enum Remark {
        /// The text has another value than the one that is read.
        case readAs
        /// The number is larger than the type can hold.
        case outOfRange
    }

    /// The value; `nil` when the text cannot be converted to the type.
    private(set) var value: Any?
    private(set) var remark: Remark?

    init(_ text: String, type: NSAttributeType) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch type {
        case .booleanAttributeType: readTruth(text)
        case .integer16AttributeType: readInteger(text, Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: readInteger(text, Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: readInteger(text, Int64.min...Int64.max)
        case .doubleAttributeType: readNumber(text) { Double($0).map { NSNumber(value: $0) } }
        case .floatAttributeType: readNumber(text) { Float($0).map { NSNumber(value: $0) } }
        case .decimalAttributeType:
            readNumber(text) { digits in
                // Decimal's initialiser parses the beginning of a text and ignores the rest.
                guard digits.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }) else { return nil }
                return Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX"))
                    .map { NSDecimalNumber(decimal: $0) }
            }
        case .UUIDAttributeType: value = UUID(uuidString: text)
        case .URIAttributeType: value = URL(string: text)
        default: break
        }
    }

    private static func truth(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "YES", "TRUE": true
        case "NO", "FALSE": false
        default: nil
        }
    }

    private mutating func readTruth(_ text: String) {
        if let truth = Self.truth(text) {
            value = NSNumber(value: truth)
        } else if let number = Double(text), !number.isNaN {
            value = NSNumber(value: number != 0)
            if number != 0, number != 1 { remark = .readAs }
        }
    }

    private mutating func readInteger(_ text: String, _ range: ClosedRange<Int64>) {
        if let whole = Int64(text) {
            value = NSNumber(value: whole)
            if !range.contains(whole) { remark = .outOfRange }
            return
        }
        readNumber(text) { Double($0).map { NSNumber(value: $0) } }
        guard let number = (value as? NSNumber)?.doubleValue else { return }
        // Archives of Apple's compiler hold the integer part.
        guard let whole = Int64(exactly: number.rounded(.towardZero)) else {
            value = nil
            return
        }
        value = NSNumber(value: whole)
        if Double(whole) != number { remark = .readAs } else if !range.contains(whole) { remark = .outOfRange }
    }

    /// Reads a number; also one with a decimal comma, if the comma cannot be a separator of thousands, and a truth
    /// value as 0 or 1.
    private mutating func readNumber(_ text: String, _ number: (String) -> NSNumber?) {
        let plain = Double(text)
        if plain?.isNaN == false, let found = number(text) {
            value = found
        } else if let truth = Self.truth(text) {
            value = number(truth ? "1" : "0")
            remark = .readAs
        } else if plain == nil {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].utf8.count != 3, Double("\(parts[0]).\(parts[1])") != nil else { return }
            value = number("\(parts[0]).\(parts[1])")
            remark = .readAs
        }
    }
}
