import CoreData
import Foundation

/// Names and values as they stand in Swift sources.
enum SwiftLiteral {
    /// A name in a declaration, in backticks if it is a keyword or no identifier.
    static func name(_ name: String) -> String {
        ReservedNames.isOfSwift(name) || ["Type", "Protocol", "Any"].contains(name) || !isIdentifier(name)
            ? "`\(name)`" : name
    }

    /// A line within braces.
    static func indented(_ line: String) -> String { line.isEmpty ? "" : "    " + line }

    static func isIdentifier(_ name: String) -> Bool {
        name.first.map { $0.isLetter || $0 == "_" } == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// A text in quotes.
    static func text(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // A line that goes over its end is no literal, and a mark of direction would turn the source around.
            case _ where character.value < 32 || (0x7F...0x9F).contains(character.value) || isUnseen(character):
                result += "\\u{\(String(character.value, radix: 16))}"
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }

    private static func isUnseen(_ character: Unicode.Scalar) -> Bool {
        [.format, .lineSeparator, .paragraphSeparator].contains(character.properties.generalCategory)
    }

    /// The initial value of a property by the default of its attribute; nil if it has none, or one that no literal is.
    static func value(_ value: Any?, of type: NSAttributeType, named typeName: String) -> String? {
        switch (type, value) {
        case (.booleanAttributeType, let number as NSNumber): return number.boolValue ? "true" : "false"
        case (.integer16AttributeType, let number as NSNumber), (.integer32AttributeType, let number as NSNumber),
            (.integer64AttributeType, let number as NSNumber):
            return "\(number.int64Value)"
        case (.doubleAttributeType, let number as NSNumber) where number.doubleValue.isFinite:
            return "\(number.doubleValue)"
        case (.floatAttributeType, let number as NSNumber) where number.floatValue.isFinite:
            return "\(number.floatValue)"
        case (.decimalAttributeType, let number as NSDecimalNumber) where !number.decimalValue.isNaN:
            // A literal of a fraction goes through a double, which rounds.
            let digits = number.decimalValue.description
            return digits.contains(".") ? "\(typeName)(string: \"\(digits)\") ?? 0" : digits
        case (.stringAttributeType, let text as String): return self.text(text)
        case (.dateAttributeType, let date as Date):
            return "\(typeName)(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
        // A class has one identifier for each model, whatever the archive says.
        case (.UUIDAttributeType, is UUID): return "\(typeName)()"
        default: return nil
        }
    }
}
