import Foundation

/// The statement that a store runs for a fetch, and the way in which its database finds the rows.
///
/// OpenCoreData only. `explain(_:)` of ``NSManagedObjectContext`` makes it for people to read. The texts may change
/// with another version of the database or of this library.
public struct FetchExplanation: Sendable {
    /// A value that the statement takes beside its text.
    public enum Parameter: Sendable, Equatable {
        /// SQL's NULL.
        case null
        /// A whole number.
        case integer(Int64)
        /// A floating-point number.
        case double(Double)
        /// A text.
        case string(String)
        /// Bytes.
        case data(Data)
        /// A UUID.
        case uuid(UUID)
        /// A decimal number.
        case decimal(Decimal)
    }

    /// A step of the plan that the database has chosen.
    public struct Step: Sendable, Equatable {
        /// The number of steps that the step is part of.
        public let depth: Int
        /// The description of the step by the database.
        public let text: String
        /// Whether the database reads all rows of a table, without an index.
        public let readsWholeTable: Bool

        package init(depth: Int, text: String, readsWholeTable: Bool = false) {
            self.depth = depth
            self.text = text
            self.readsWholeTable = readsWholeTable
        }
    }

    /// An index by which the database would find the rows for which it reads a whole table.
    public struct SuggestedIndex: Sendable, Equatable, CustomStringConvertible {
        /// The name of the entity that has the property.
        public let entityName: String
        /// The name of the property with which the index begins.
        public let propertyName: String
        /// The number of rows that the table has.
        public let rowCount: Int

        package init(entityName: String, propertyName: String, rowCount: Int) {
            self.entityName = entityName
            self.propertyName = propertyName
            self.rowCount = rowCount
        }

        /// The suggestion as a sentence without its full stop.
        public var description: String {
            "an index on \(propertyName) of \(entityName) would spare reading \(rowCount) rows"
        }
    }

    /// The identifier of the store.
    public let storeIdentifier: String
    /// The address of the store; nil for one that has none.
    public let storeURL: URL?
    /// The statement, in the SQL of the store's database.
    public let statement: String
    /// The parameters of the statement, in the order of their places.
    public let parameters: [Parameter]
    /// The steps of the plan, each after the one that it is part of.
    public let plan: [Step]
    /// Whether the program computes, sorts or groups the result from the rows of the database.
    public let isFinishedByProgram: Bool
    /// The index that the model lacks for the fetch.
    ///
    /// Nil unless the database reads a whole table of more than 10,000 rows.
    public let suggestedIndex: SuggestedIndex?

    package init(
        storeIdentifier: String, storeURL: URL?, statement: String, values: [SlotValue], plan: [Step],
        isFinishedByProgram: Bool, suggestedIndex: SuggestedIndex?
    ) {
        self.storeIdentifier = storeIdentifier
        self.storeURL = storeURL
        self.statement = statement
        parameters = values.map { value in
            switch value {
            case .null: .null
            case .int(let number): .integer(number)
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .data(let bytes): .data(bytes)
            case .uuid(let uuid): .uuid(uuid)
            case .decimal(let number): .decimal(number)
            }
        }
        self.plan = plan
        self.isFinishedByProgram = isFinishedByProgram
        self.suggestedIndex = suggestedIndex
    }
}
