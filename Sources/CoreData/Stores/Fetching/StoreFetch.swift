import Foundation

/// A fetch in the form in which a store gets it, without objects and contexts.
package struct StoreFetch {
    package enum Result {
        case keys
        case count
        /// Values of attributes, to-one relationships, `objectID` or expressions, grouped or distinct.
        case dictionaries(properties: [Column], groupBy: [Column], having: NSPredicate?, distinct: Bool)
    }

    /// A value that a dictionary fetch returns under one name.
    package enum Column {
        case keyPath(String)
        /// An `NSExpressionDescription`.
        case expression(NSPropertyDescription)

        package var name: String {
            switch self {
            case .keyPath(let path): path
            case .expression(let expression): expression.name
            }
        }
    }

    package var layout: EntityLayout
    package var includesSubentities = true
    /// Constants in it may be objects or object ids (`ObjectKeyConvertible`).
    package var predicate: NSPredicate?
    /// Whether each store decides the predicate as the evaluation of objects does (`ObjectDecidedPredicate`).
    package var decidesByObject = false
    package var sortDescriptors: [NSSortDescriptor] = []
    package var limit = 0
    package var offset = 0
    /// Limits the fetch to rows with greater primary keys, in the order of their keys, if the store reads such ranges.
    package var afterPrimaryKey: Int64?
    package var result: Result = .keys
    /// Whether the fetch may find more rows than should be in memory at the same time.
    package var isLarge = false
    /// The request and the context, for custom stores; otherwise nil.
    var origin: FetchOrigin?
}

/// An object that stands for a row in a predicate: a managed object or its id.
protocol ObjectKeyConvertible: AnyObject {
    var objectKey: ObjectKey { get }
}

/// The result of translating a fetch to the language of a store's database.
package enum FetchTranslation {
    /// The database has a statement for the fetch.
    case statement
    /// A part of the predicate, of the order or of the columns has no SQL.
    case missing
    /// The store has no statements.
    case unneeded
}

package enum StoreFetchResult {
    case keys(FetchedKeys)
    case count(Int)
    case dictionaries([[String: Any]])
}

extension EntityLayout {
    /// The columns of a dictionary if the request names none: every attribute and to-one relationship.
    var fetchedColumns: [StoreFetch.Column] {
        slots.compactMap { slot in
            guard slot.isPersistent else { return nil }
            switch slot.role {
            case .attribute, .toOne: return .keyPath(slot.name)
            case .companion, .order, .owner: return nil
            }
        }
    }
}
