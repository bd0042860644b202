import CoreData
import Foundation

/// Values as text and as JSON.
package enum ValueText {
    /// The text in a table.
    package static func text(_ value: Any?, _ content: Column.Content) -> String {
        switch value {
        case nil: return ""
        case let id as NSManagedObjectID: return ObjectName.of(id)
        case let object as NSManagedObject: return ObjectName.of(object.objectID)
        case is NSOrderedSet, is Set<NSManagedObject>:
            return Column.members(value).map { ObjectName.of($0.objectID) }.joined(separator: ", ")
        case let data as Data:
            if case .attribute(let attribute) = content, let value = SwiftDataValue.collection(data, attribute) {
                return text(of: value)
            }
            return Measure.bytes(Int64(data.count))
        case let elements as [String: Any]:
            if case .attribute(let composite as NSCompositeAttributeDescription) = content {
                return SwiftDataValue.text(elements, composite)
            }
            return elements.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value, content))" }
                .joined(separator: ", ")
        default: break
        }
        return text(of: json(value, content))
    }

    /// The text in a table for a value without a column.
    package static func text(_ value: Any) -> String {
        (value as? Data).map { Measure.bytes(Int64($0.count)) } ?? text(of: json(value))
    }

    /// The text of a string without quotes, and JSON for all other values.
    private static func text(of json: JSON) -> String {
        if case .string(let text) = json { return text }
        var bytes: [UInt8] = []
        json.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value in JSON: dates in ISO 8601, bytes in base 64, objects by their names.
    package static func json(_ value: Any?, _ content: Column.Content) -> JSON {
        guard let value else { return .null }
        if case .attribute(let attribute) = content { return json(value, attribute) }
        switch value {
        case let id as NSManagedObjectID: return .string(ObjectName.of(id))
        case let object as NSManagedObject: return .string(ObjectName.of(object.objectID))
        case let count as Int: return .integer(Int64(count))
        case let count as NSNumber: return .integer(count.int64Value)
        default: return .array(Column.members(value).map { .string(ObjectName.of($0.objectID)) })
        }
    }

    /// A value of an attribute, by the attribute's type, because a number may stand for a Boolean.
    package static func json(_ value: Any, _ attribute: NSAttributeDescription) -> JSON {
        switch attribute.attributeType {
        case .booleanAttributeType:
            if let value = value as? Bool { return .bool(value) }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            if let value = value as? Int64 { return .integer(value) }
            if let value = value as? NSNumber { return .integer(value.int64Value) }
        case .floatAttributeType:
            if let value = value as? NSNumber { return float(value.floatValue) }
        case .doubleAttributeType:
            if let value = value as? Double { return .number(value) }
        case .decimalAttributeType:
            if let value = value as? NSDecimalNumber {
                return value.decimalValue.isNaN ? .string("NaN") : .digits(value.description)
            }
        case .compositeAttributeType:
            if let composite = attribute as? NSCompositeAttributeDescription, let elements = value as? [String: Any] {
                return SwiftDataValue.json(elements, composite)
            }
        default: break
        }
        return json(value)
    }

    /// A value without an attribute.
    package static func json(_ value: Any) -> JSON {
        switch value {
        case let text as String: return .string(text)
        case let date as Date: return .string(DateText.iso(date))
        case let data as Data: return .string(data.base64EncodedString())
        case let uuid as UUID: return .string(uuid.uuidString)
        case let url as URL: return .string(url.absoluteString)
        case let decimal as NSDecimalNumber:
            return decimal.decimalValue.isNaN ? .string("NaN") : .digits(decimal.description)
        case let number as NSNumber:
            if isTruth(number) { return .bool(number.boolValue) }
            return number.isFloatingPoint ? .number(number.doubleValue) : .integer(number.int64Value)
        case let list as [Any]: return .array(list.map(json))
        case let members as [String: Any]:
            return .object(members.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
        case is NSNull: return .null
        case let id as NSManagedObjectID: return .string(ObjectName.of(id))
        case let object as NSManagedObject: return .string(ObjectName.of(object.objectID))
        default: return .string("\(value)")
        }
    }

    static func float(_ value: Float) -> JSON { value.isFinite ? .digits("\(value)") : .string("\(value)") }

    private static func isTruth(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c" && (number == 0 || number == 1)
    }
}

extension NSNumber {
    fileprivate var isFloatingPoint: Bool { ["d", "f"].contains(String(cString: objCType)) }
}
