#if PostgreSQL
import CoreData
import Foundation

/// Which tables and columns hold what the model names: the map that a database keeps in `coredata.tables` and
/// `coredata.columns`. Other programs can read it, and the triggers find there what a change of a row means.
struct PostgreSQLNames: Sendable {
    /// The key in the `userInfo` of an entity, an attribute or a relationship under which its table or column is
    /// named.
    static let key = "PostgreSQLName"
    /// The keys in the `userInfo` of a many-to-many relationship that name the columns of its join table: the ids
    /// of the objects that have the relationship, and those of its destinations.
    static let ownerKey = "PostgreSQLOwnerColumn"
    static let memberKey = "PostgreSQLMemberColumn"

    /// A part of a property that has a column of its own.
    struct PropertyPart: Hashable, Sendable {
        var entity: String
        var property: String
        var role: String

        /// The part of a property for the column in which an older version, which is still served, keeps one of the
        /// objects that a to-many relationship leads to, or the values of an object of a split.
        static func formerKey(_ relationship: String, of entity: String) -> PropertyPart {
            PropertyPart(entity: entity, property: relationship, role: formerRole)
        }

        static let formerRole = "former"
    }

    /// By root entity.
    var tables: [String: String] = [:]
    /// By entity and relationship: the join tables.
    var joins: [String: String] = [:]
    /// By entity that has the property.
    var columns: [PropertyPart: String] = [:]
    /// By entity: the mark of its changes in history, where another version has the same names for other
    /// properties.
    var marks: [String: Int64] = [:]

    /// A name that a model gives, cut to the length of PostgreSQL's names.
    static func given(_ userInfo: [AnyHashable: Any]?, _ key: String = key) -> String? {
        guard var name = userInfo?[key] as? String, !name.isEmpty else { return nil }
        while name.utf8.count > 63 { name.removeLast() }
        return name
    }

    /// The name of a slot in the map.
    static func part(of slot: Slot, in entity: EntityLayout) -> PropertyPart {
        let (property, role) =
            switch slot.role {
            case .attribute: (slot.name, "value")
            case .toOne: (slot.name, "key")
            case .companion(let key): (entity.slots[key].name, "entity")
            case .order(let key): (entity.slots[key].name, "place")
            case .owner(let relationship): ("\(relationship.entity.name ?? "").\(relationship.name)", "owner")
            }
        return PropertyPart(entity: entity.name, property: property, role: role)
    }

    init() {}
}
#endif
