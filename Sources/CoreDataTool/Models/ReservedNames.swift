/// Names that an entity or a property should not have, and the reasons.
package enum ReservedNames {
    /// The reason why a property should not have a name; nil if there is none.
    package static func reason(againstProperty name: String) -> String? {
        if ofObjects.contains(name) { return taken("every managed object has a member of that name") }
        if isOwned(name) {
            return taken("Objective-C takes what getters called new…, copy…, alloc… or init… return as the caller's")
        }
        if ofPredicates.contains(name.uppercased()) {
            return taken("the format of predicates has a word of that name; there it has to be written '#\(name)'")
        }
        return reason(againstDeclared: name)
    }

    /// The reason why an entity, or its class, should not have a name.
    package static func reason(againstEntity name: String) -> String? {
        ofTypes.contains(name)
            ? taken("Swift or its libraries have a type of that name") : reason(againstDeclared: name)
    }

    /// Whether a declaration has to have a name in backticks.
    static func isOfSwift(_ name: String) -> Bool { ofSwift.contains(name) }

    private static func taken(_ reason: String) -> String { "the name is taken: \(reason)" }

    private static func reason(againstDeclared name: String) -> String? {
        if ofSwift.contains(name) { return taken("it is a keyword of Swift, and has to be written '`\(name)`'") }
        let isIdentifier =
            name.first.map { $0.isLetter || $0 == "_" } == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isIdentifier
            ? nil : "a generated class cannot declare the name; write letters, digits and '_' alone"
    }

    private static func isOwned(_ name: String) -> Bool {
        ["new", "copy", "mutableCopy", "alloc", "init"].contains { prefix in
            name.hasPrefix(prefix) && name.dropFirst(prefix.count).first.map { !$0.isLowercase } != false
        }
    }

    private static let ofObjects: Set<String> = [
        "objectID", "entity", "managedObjectContext", "inserted", "isInserted", "updated", "isUpdated", "deleted",
        "isDeleted", "fault", "isFault", "hasChanges", "hasPersistentChangedValues", "faultingState", "changedValues",
        "committedValues", "changedValuesForCurrentEvent", "awakeFromFetch", "awakeFromInsert", "willSave", "didSave",
        "willTurnIntoFault", "didTurnIntoFault", "prepareForDeletion", "validateForDelete", "validateForInsert",
        "validateForUpdate", "objectWillChange", "hash", "hashValue", "description", "debugDescription", "superclass",
        "class", "self", "zone", "isProxy", "isEqual", "retain", "release", "autorelease", "retainCount", "dealloc",
        "finalize", "observationInfo",
    ]

    private static let ofPredicates: Set<String> = [
        "AND", "OR", "NOT", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "ANY", "ALL",
        "SOME",
        "NONE", "SELF", "NIL", "NULL", "TRUE", "FALSE", "YES", "NO", "FIRST", "LAST", "SIZE", "CAST", "SUBQUERY",
        "TRUEPREDICATE", "FALSEPREDICATE", "TERNARY", "FUNCTION",
    ]

    private static let ofTypes: Set<String> = [
        "Any", "AnyObject", "Array", "Bool", "Character", "Collection", "Data", "Date", "Decimal", "Dictionary",
        "Double",
        "Equatable", "Error", "Float", "Hashable", "Identifiable", "Int", "Never", "Notification", "Optional", "Range",
        "Result", "Sequence", "Set", "String", "Task", "Type", "UUID", "URL", "Void",
    ]

    private static let ofSwift: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try",
        "typealias", "var", "where", "while", "Self",
    ]
}
