import Foundation

/// What a store does for a fetch: the statement that it runs, and how its database finds the rows.
///
/// An addition to Apple's API. A plain value, made by `explain(_:)` of a context, for people who look at it: the texts
/// are other ones with another version of the database, or of this library.
public struct FetchExplanation: Sendable {
    /// A value that the statement takes beside its text, in the order of the numbers of their places.
    public enum Parameter: Sendable, Equatable {
        case null
        case integer(Int64)
        case double(Double)
        case string(String)
        case data(Data)
        case uuid(UUID)
        case decimal(Decimal)
    }

    /// A step of the plan that the database has chosen.
    public struct Step: Sendable, Equatable {
        /// How many steps it is part of.
        public let depth: Int
        /// What the database says of it.
        public let text: String

        package init(depth: Int, text: String) {
            self.depth = depth
            self.text = text
        }
    }

    /// The identifier of the store.
    public let storeIdentifier: String
    /// Where the store is; nil for one that has no address.
    public let storeURL: URL?
    /// The statement, in the words of the store's database.
    public let statement: String
    public let parameters: [Parameter]
    /// The steps, each behind the one that it is part of.
    public let plan: [Step]
    /// Whether the database gives rows of which the program computes, sorts or groups the result.
    public let isFinishedByProgram: Bool

    package init(
        storeIdentifier: String, storeURL: URL?, statement: String, values: [SlotValue], plan: [Step],
        isFinishedByProgram: Bool
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
    }
}
