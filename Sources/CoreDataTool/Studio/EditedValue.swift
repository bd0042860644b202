import CoreData
import Foundation

/// A value from the page, and its conversion for an attribute.
enum EditedValue: Decodable {
    case nothing
    case text(String)
    case truth(Bool)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .nothing
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Makes the value in the form in which the page edits it.
    init(shownOf value: Any?, _ attribute: NSAttributeDescription) {
        switch value {
        case nil: self = .nothing
        case let truth as Bool where attribute.attributeType == .booleanAttributeType: self = .truth(truth)
        case let value?: self = .text(ValueText.text(value, .attribute(attribute)))
        }
    }

    /// Whether two values have the same bytes. Texts of different bytes may be equal as strings.
    func isSame(as other: EditedValue) -> Bool {
        switch (self, other) {
        case (.nothing, .nothing): true
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.truth(let one), .truth(let other)): one == other
        default: false
        }
    }

    /// A copy with the line ends of the old text. A field of a page has line feeds alone. If the old text had both
    /// characters at the ends of lines, they are restored.
    func keepingLineEnds(of old: String?) -> EditedValue {
        guard case .text(let text) = self, let old, old.utf8.contains(13) else { return self }
        let feeds = old.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
        if text == feeds { return .text(old) }
        return old.utf8.count > feeds.utf8.count && !text.utf8.contains(13)
            ? .text(text.replacingOccurrences(of: "\n", with: "\r\n")) : self
    }

    /// Whether the page can edit values of an attribute: those with a text form.
    static func isEditable(_ attribute: NSAttributeDescription) -> Bool {
        if attribute is NSDerivedAttributeDescription || attribute.isTransient { return false }
        switch attribute.attributeType {
        case .binaryDataAttributeType, .transformableAttributeType, .objectIDAttributeType, .undefinedAttributeType,
            .compositeAttributeType:
            return false
        default: return true
        }
    }

    /// The value for an attribute.
    /// - Throws: 422 if the text is not a value of its type.
    func value(for attribute: NSAttributeDescription) throws -> Any? {
        switch self {
        case .nothing: return nil
        case .truth(let truth):
            if attribute.attributeType == .booleanAttributeType { return truth }
            throw StudioFailure(422, "'\(truth)' is \(Self.form(of: attribute.attributeType))", key: attribute.name)
        case .text(let text):
            if attribute.attributeType == .stringAttributeType { return text }
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if let value = Self.value(trimmed, attribute.attributeType) { return value }
            let form = Self.form(of: attribute.attributeType)
            throw StudioFailure(422, "'\(trimmed)' is \(form)", key: attribute.name)
        }
    }

    private static func value(_ text: String, _ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType: return Int16(text)
        case .integer32AttributeType: return Int32(text)
        case .integer64AttributeType: return Int64(text)
        case .doubleAttributeType: return Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .floatAttributeType: return Float(text).flatMap { $0.isFinite ? $0 : nil }
        case .decimalAttributeType:
            // NSDecimalNumber reads the beginning of a text, and leaves out the rest.
            guard text.wholeMatch(of: /[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/) != nil else { return nil }
            let number = NSDecimalNumber(string: text, locale: Locale(identifier: "en_US_POSIX"))
            return number == .notANumber ? nil : number
        case .booleanAttributeType: return ["true": true, "false": false][text.lowercased()]
        case .dateAttributeType: return DateText.date(text)
        case .UUIDAttributeType: return UUID(uuidString: text)
        case .URIAttributeType: return text.isEmpty ? nil : URL(string: text)
        default: return nil
        }
    }

    private static func form(of type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "no whole number from -32768 to 32767"
        case .integer32AttributeType: "no whole number from -2147483648 to 2147483647"
        case .integer64AttributeType: "no whole number of 64 bits"
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: "no number"
        case .booleanAttributeType: "neither true nor false"
        case .dateAttributeType: "no date, such as 2024-02-29 or 2024-02-29T12:30:00Z"
        case .UUIDAttributeType: "no UUID"
        case .URIAttributeType: "no URI"
        default: "no value of this attribute"
        }
    }
}
