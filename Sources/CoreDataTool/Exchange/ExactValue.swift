import CoreData
import Foundation

/// Values of attributes as JSON from which they can be read back without the loss of a bit.
///
/// Dates are their seconds since the beginning of 2001, bytes and transformable values base 64, decimals texts. Values
/// that are no number of JSON are texts: "nan", "inf", "-inf".
enum ExactValue {
    /// Appends a value that is not nil.
    ///
    /// - Parameter isRounded: whether dates are rounded to microseconds, as in PostgreSQL.
    static func append(_ value: Any, _ attribute: NSAttributeDescription, to bytes: inout [UInt8], isRounded: Bool) {
        switch value {
        case let text as String: JSON.append(text, to: &bytes)
        case let date as Date: append(isRounded ? rounded(date) : date.timeIntervalSinceReferenceDate, to: &bytes)
        case let data as Data: append(plain: data.base64EncodedString(), to: &bytes)
        case let uuid as UUID: append(plain: uuid.uuidString, to: &bytes)
        case let url as URL: JSON.append(url.absoluteString, to: &bytes)
        case let elements as [String: Any]:
            let composite = attribute as? NSCompositeAttributeDescription
            append(elements, composite?.elements ?? [], to: &bytes, isRounded: isRounded)
        case let number as NSDecimalNumber where attribute.attributeType == .decimalAttributeType:
            append(plain: number.decimalValue.isNaN ? "nan" : number.description, to: &bytes)
        case let number as NSNumber: append(number, attribute.attributeType, to: &bytes)
        default: bytes.append(contentsOf: "null".utf8)
        }
    }

    private static func rounded(_ date: Date) -> Double {
        (date.timeIntervalSinceReferenceDate * 1e6).rounded() / 1e6
    }

    private static func append(
        _ values: [String: Any], _ elements: [NSAttributeDescription], to bytes: inout [UInt8], isRounded: Bool
    ) {
        var separator = UInt8(ascii: "{")
        for element in elements.sorted(by: { $0.name < $1.name }) {
            guard let value = values[element.name], !(value is NSNull) else { continue }
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            JSON.append(element.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(value, element, to: &bytes, isRounded: isRounded)
        }
        if separator == UInt8(ascii: "{") { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ number: NSNumber, _ type: NSAttributeType, to bytes: inout [UInt8]) {
        switch type {
        case .booleanAttributeType: bytes.append(contentsOf: (number.boolValue ? "true" : "false").utf8)
        case .floatAttributeType:
            let value = number.floatValue
            value.isFinite ? bytes.append(contentsOf: "\(value)".utf8) : append(plain: "\(value)", to: &bytes)
        case .doubleAttributeType: append(number.doubleValue, to: &bytes)
        default: bytes.append(contentsOf: String(number.int64Value).utf8)
        }
    }

    private static func append(_ value: Double, to bytes: inout [UInt8]) {
        value.isFinite ? bytes.append(contentsOf: "\(value)".utf8) : append(plain: "\(value)", to: &bytes)
    }

    /// Appends text without a character that needs a backslash.
    private static func append(plain text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Reading

    /// The value of an attribute; nil for null.
    static func read(_ json: ReadJSON, _ attribute: NSAttributeDescription) throws(ReadJSON.Mistake) -> Any? {
        if case .null = json.content { return nil }
        if let composite = attribute as? NSCompositeAttributeDescription { return try read(json, composite.elements) }
        switch attribute.attributeType {
        case .stringAttributeType: return try json.text()
        case .integer16AttributeType: return try integer(json, Int16.self)
        case .integer32AttributeType: return try integer(json, Int32.self)
        case .integer64AttributeType: return NSNumber(value: try json.integer())
        case .booleanAttributeType:
            guard case .bool(let truth) = json.content else { throw json.expected("a truth value") }
            return NSNumber(value: truth)
        case .doubleAttributeType: return NSNumber(value: try floating(json, Double.self))
        case .floatAttributeType: return NSNumber(value: try floating(json, Float.self))
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: try floating(json, Double.self))
        case .decimalAttributeType: return try decimal(json)
        case .binaryDataAttributeType, .transformableAttributeType:
            guard let data = Data(base64Encoded: try json.text("a text in base 64")) else {
                throw json.mistake("this is no base 64")
            }
            return data
        case .UUIDAttributeType:
            return UUID(uuidString: try json.uuid().text())
        case .URIAttributeType:
            guard let url = URL(string: try json.text("a URI")) else { throw json.mistake("this is no URI") }
            return url
        default: throw json.mistake("'\(attribute.name)' has no type whose values a store keeps")
        }
    }

    private static func read(
        _ json: ReadJSON, _ elements: [NSAttributeDescription]
    ) throws(ReadJSON.Mistake) -> [String: Any] {
        var values: [String: Any] = [:]
        for member in try json.members() {
            let (key, value) = (member.key, member.value)
            let name = try key.text()
            guard let element = elements.first(where: { $0.name == name }) else {
                throw key.mistake("there is no element '\(name)'")
            }
            values[name] = try read(value, element)
        }
        return values
    }

    private static func integer<Number: FixedWidthInteger>(
        _ json: ReadJSON, _: Number.Type
    ) throws(ReadJSON.Mistake) -> NSNumber {
        let number = try json.integer()
        guard Number(exactly: number) != nil else {
            throw json.mistake("\(number) is too large for \(Number.bitWidth) bits")
        }
        return NSNumber(value: number)
    }

    private static func floating<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ json: ReadJSON, _: Number.Type
    ) throws(ReadJSON.Mistake) -> Number {
        switch json.content {
        case .number(let text):
            if let number = Number(text) {
                guard number.isFinite else { throw json.mistake("\(text) is too large for its type") }
                return number
            }
        case .string(let text) where ["nan", "inf", "-inf"].contains(text):
            if let number = Number(text) { return number }
        default: break
        }
        throw json.expected("a number, or \"nan\", \"inf\" or \"-inf\",")
    }

    private static func decimal(_ json: ReadJSON) throws(ReadJSON.Mistake) -> NSDecimalNumber {
        let text: String
        switch json.content {
        case .string("nan"): return .notANumber
        case .string(let given), .number(let given): text = given
        default: throw json.expected("a decimal number as text")
        }
        // `Decimal` reads a valid beginning of a text, and leaves out the rest.
        guard text.wholeMatch(of: /[+-]?\d+(\.\d*)?([eE][+-]?\d+)?/) != nil, let number = Decimal(string: text) else {
            throw json.mistake("this is no decimal number")
        }
        return NSDecimalNumber(decimal: number)
    }
}
