import CoreData
import Foundation

/// The words of a model for those of tables: names, types and default values.
enum TableNames {
    /// The words of a name: `order_items` and `OrderItems` have two.
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        for letter in name {
            let isBreak = !letter.isLetter && !letter.isNumber
            if isBreak || letter.isUppercase && word.last?.isLowercase == true {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if !isBreak { word.append(letter) }
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func joined(_ words: [String]) -> String {
        words.map { word in
            word.allSatisfy { $0.isUppercase || $0.isNumber } && words.count > 1
                ? word.prefix(1) + word.dropFirst().lowercased() : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }

    /// `order_items` is `OrderItem`.
    static func entity(_ table: String) -> String {
        var words = words(table)
        if let last = words.popLast() { words.append(singular(last)) }
        var name = joined(words)
        if name.first?.isLetter != true { name = "Table" + name }
        return ReservedNames.reason(againstEntity: name) == nil ? name : name + "Row"
    }

    /// `created_at` is `createdAt`.
    static func property(_ column: String) -> String {
        let name = joined(words(column))
        let lowercase = name.prefix { $0.isUppercase }.count
        let start = lowercase > 1 && lowercase < name.count ? lowercase - 1 : max(lowercase, 1)
        let property = name.prefix(start).lowercased() + name.dropFirst(start)
        return property.first?.isLetter == true ? property : "column" + name
    }

    /// The name of a to-one relationship: `author_id` is `author`.
    static func reference(_ column: String, _ target: String) -> String {
        var words = words(column)
        if words.count > 1, ["id", "no", "key", "fk"].contains(words[words.count - 1].lowercased()) {
            words.removeLast()
        } else if words.count == 1, words[0].lowercased() == "id" {
            words = self.words(entity(target))
        }
        return property(words.joined(separator: "_"))
    }

    /// The name of a to-many relationship to an entity: `orderItems`.
    static func plural(of entity: String) -> String {
        let name = property(entity)
        if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        let hisses = ["s", "x", "ch", "sh"].contains { name.hasSuffix($0) }
        return name + (hisses ? "es" : "s")
    }

    private static func singular(_ word: String) -> String {
        let folded = word.lowercased()
        if folded.count < 4 || ["ss", "us", "is"].contains(where: folded.hasSuffix) { return word }
        if folded.hasSuffix("ies") { return word.dropLast(3) + "y" }
        if ["sses", "xes", "ches", "shes"].contains(where: folded.hasSuffix) { return String(word.dropLast(2)) }
        return folded.hasSuffix("s") ? String(word.dropLast()) : word
    }

    /// Whether a generated class cannot have a property of the name.
    static func isReserved(_ name: String) -> Bool { ReservedNames.reason(againstProperty: name) != nil }

    // MARK: Types

    /// The type of an attribute for a column of a server, and the greatest length of a text.
    static func serverType(_ type: String) -> (name: String, length: String?)? {
        let base = String(type.prefix { $0 != "(" }).trimmingCharacters(in: .whitespaces)
        switch base {
        case "smallint": return ("Integer 16", nil)
        case "integer": return ("Integer 32", nil)
        case "bigint": return ("Integer 64", nil)
        case "boolean": return ("Boolean", nil)
        case "real": return ("Float", nil)
        case "double precision": return ("Double", nil)
        case "numeric": return ("Decimal", nil)
        case "text": return ("String", nil)
        case "character varying": return ("String", length(type))
        case "bytea": return ("Binary", nil)
        case "uuid": return ("UUID", nil)
        default:
            // The length of a time stamp stands in the middle of its name.
            return type.hasPrefix("timestamp") && !type.hasSuffix("[]") ? ("Date", nil) : nil
        }
    }

    /// The type of an attribute for a column of a file, by SQLite's rules of affinity.
    static func fileType(_ type: String) -> (name: String, length: String?)? {
        let words = type.lowercased()
        if words.contains("bool") { return ("Boolean", nil) }
        if words.contains("date") || words.contains("time") { return ("Date", nil) }
        if words.contains("smallint") || words.contains("int2") { return ("Integer 16", nil) }
        if words.contains("int") { return ("Integer 64", nil) }
        if ["char", "clob", "text"].contains(where: words.contains) { return ("String", length(type)) }
        if words.contains("uuid") { return ("UUID", nil) }
        if words.isEmpty || words.contains("blob") { return ("Binary", nil) }
        if ["real", "floa", "doub"].contains(where: words.contains) { return ("Double", nil) }
        return words.contains("numeric") || words.contains("decimal") ? ("Decimal", nil) : nil
    }

    private static func length(_ type: String) -> String? {
        guard let start = type.firstIndex(of: "(") else { return nil }
        let digits = type[start...].dropFirst().prefix { $0.isNumber }
        return digits.isEmpty ? nil : String(digits)
    }

    /// The text of a default value in a source; nil if it is an expression, or of another type.
    static func literal(_ text: String, _ type: String) -> String? {
        var value = text
        if let cast = value.range(of: "::", options: .backwards), !value[cast.upperBound...].contains("'") {
            value = String(value[..<cast.lowerBound])
        }
        while value.hasPrefix("("), value.hasSuffix(")") { value = String(value.dropFirst().dropLast()) }
        let isQuoted = value.count > 1 && value.hasPrefix("'") && value.hasSuffix("'")
        let plain = isQuoted ? String(value.dropFirst().dropLast()).replacing("''", with: "'") : value
        switch type {
        case "String": return isQuoted ? plain : nil
        case "Boolean":
            return ["true", "1", "t"].contains(plain.lowercased())
                ? "YES" : ["false", "0", "f"].contains(plain.lowercased()) ? "NO" : nil
        case "Integer 16", "Integer 32", "Integer 64": return Int64(plain).map { "\($0)" }
        case "Double", "Float", "Decimal": return Double(plain) == nil ? nil : plain
        case "UUID": return UUID(uuidString: plain)?.uuidString
        default: return nil
        }
    }
}
