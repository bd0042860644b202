import CoreData

/// Content of a store that contradicts the model, or the store's own bookkeeping.
struct StoreFinding: Equatable {
    enum Kind: String, CaseIterable {
        case damage
        case history
        case counter
        case unknownEntity
        case unreadable
        case encoding
        case range
        case dangling
        case oneSided
        case invalid
        case derived
        case duplicate

        /// The title of the kind in text.
        var title: String {
            switch self {
            case .damage: "damaged file"
            case .history: "history that is larger than the data"
            case .counter: "counters below the numbers of objects"
            case .unknownEntity: "rows of no entity"
            case .unreadable: "objects or values that cannot be read"
            case .encoding: "texts that are not UTF-8"
            case .range: "values that their attributes cannot hold"
            case .dangling: "references to objects that are not there"
            case .oneSided: "links that one side alone has"
            case .invalid: "values that the model does not allow"
            case .derived: "derived values that are not what they are derived from"
            case .duplicate: "values that should be unique"
            }
        }

        var remedy: String {
            switch self {
            case .damage:
                "'coredata salvage' brings what can be read into a new store; or take a backup"
            case .history:
                "let a program delete the transactions that all programs have read "
                    + "(NSPersistentHistoryChangeRequest.deleteHistory(before:))"
            case .counter:
                "'coredata repair' raises them; otherwise a program may give a new object the number of another one"
            case .unknownEntity:
                "set the row's Z_ENT to the number that its entity has in Z_PRIMARYKEY, or delete the row"
            case .unreadable:
                "bring the missing file back from a backup, or let a program set the value anew; 'coredata repair' "
                    + "takes away an optional value without its file"
            case .encoding:
                "let a program set the text anew; 'coredata repair' puts \u{FFFD} where a character cannot be read"
            case .range:
                "let a program set the value anew; 'coredata repair' takes it away where the attribute is optional"
            case .dangling: "let a program set the relationship to another object; 'coredata repair' removes the link"
            case .oneSided:
                "let a program set the relationship anew from either side; 'coredata repair' does so where the other "
                    + "side is free, and removes the link elsewhere"
            case .invalid: "let a program set a value that the model allows, or widen the model"
            case .derived: "'coredata repair' computes them anew, and so does a program that saves the object"
            case .duplicate: "let a program delete all but one of them, or change their values"
            }
        }
    }

    let kind: Kind
    /// The object's name, `Book/12`; nil if the finding is about more than one, or about the file.
    var object: String?
    var property: String?
    let text: String
    /// The repair by 'coredata repair'; nil if the user has to decide.
    var repair: Repair?

    var json: [(String, JSON)] {
        [
            ("kind", .string(kind.rawValue)), ("object", object.map(JSON.string) ?? .null),
            ("property", property.map(JSON.string) ?? .null), ("text", .string(text)),
        ]
    }

    /// A line such as `Book/12.author: leads to Author/99, which is not there`.
    var line: String {
        guard let object else { return text }
        return "\(object)\(property.map { ".\($0)" } ?? ""): \(text)"
    }
}

/// The repair of a finding.
enum Repair: Equatable {
    /// An irregularity in the tables, which no save can write.
    case irregular(StoreIrregularity)
    /// An object's link to a missing object.
    case unlink(NSManagedObjectID, relationship: String, target: NSManagedObjectID)
    /// A link that the other object does not have.
    case match(NSManagedObjectID, relationship: String, target: NSManagedObjectID)
    /// A value that has to be removed.
    case clear(NSManagedObjectID, attribute: String)
    /// A value that is computed anew when the object is saved.
    case derive(NSManagedObjectID, attribute: String)
}
