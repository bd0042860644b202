import Foundation

/// The values in an XML source are text; here they get the types of their attributes.
extension ModelSourceReader {
    /// The type an attribute element names; absent means undefined.
    func attributeType(of source: XMLTreeElement) throws -> NSAttributeType {
        switch source.text("attributeType") {
        case nil, "Undefined": .undefinedAttributeType
        case "Integer 16": .integer16AttributeType
        case "Integer 32": .integer32AttributeType
        case "Integer 64": .integer64AttributeType
        case "Decimal": .decimalAttributeType
        case "Double": .doubleAttributeType
        case "Float": .floatAttributeType
        case "String": .stringAttributeType
        case "Boolean": .booleanAttributeType
        case "Date": .dateAttributeType
        case "Binary": .binaryDataAttributeType
        case "UUID": .UUIDAttributeType
        case "URI": .URIAttributeType
        case "Transformable": .transformableAttributeType
        case "Composite": .compositeAttributeType
        case let other?: throw error("unknown attribute type '\(other)'.", at: source)
        }
    }

    /// The default value of an attribute element, typed; `nil` when it has none.
    func defaultValue(of source: XMLTreeElement, type: NSAttributeType) throws -> Any? {
        if type == .dateAttributeType {
            return try number("defaultDateTimeInterval", of: source).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        guard let text = source.attributes["defaultValueString"] else { return nil }
        switch type {
        case .stringAttributeType: return text
        case .binaryDataAttributeType, .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
            .compositeAttributeType, .dateAttributeType:
            return nil
        default: break
        }
        // The editor leaves an empty string behind when a default is removed.
        guard !text.isEmpty else { return nil }
        guard let value = Self.value(of: text, type: type) else {
            throw error("the default value '\(text)' does not fit the type of the attribute.", at: source)
        }
        return value
    }

    /// A number in an attribute of the source.
    func number(_ attribute: String, of source: XMLTreeElement) throws -> Double? {
        guard let text = source.text(attribute) else { return nil }
        guard let value = Double(text) else {
            throw error("\(attribute) is '\(text)', which is not a number.", at: source)
        }
        return value
    }

    /// Text as a value of a numeric, Boolean, UUID or URI attribute; `nil` when it does not fit.
    static func value(of text: String, type: NSAttributeType) -> Any? {
        switch type {
        case .booleanAttributeType:
            switch text.uppercased() {
            case "YES", "TRUE", "1": return NSNumber(value: true)
            case "NO", "FALSE", "0": return NSNumber(value: false)
            default: return nil
            }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            if let value = Int64(text) { return NSNumber(value: value) }
            // "1.0" and "1e3" occur; what is not whole or does not fit is an error.
            return Double(text).flatMap { Int64(exactly: $0) }.map { NSNumber(value: $0) }
        case .doubleAttributeType: return Double(text).map { NSNumber(value: $0) }
        case .floatAttributeType: return Float(text).map { NSNumber(value: $0) }
        case .decimalAttributeType:
            let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
            return decimal.map { NSDecimalNumber(decimal: $0) }
        case .UUIDAttributeType: return UUID(uuidString: text)
        case .URIAttributeType: return URL(string: text)
        default: return nil
        }
    }
}
