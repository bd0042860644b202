import CoreData
import Foundation

/// `coredata sql`: the statement of a fetch, its values, and the engine's plan.
package struct SQLCommand: Command {
    package static let page = CommandPage(
        "sql", "show the SQL that a fetch would run, and the plan that the engine has for it",
        operands: [.store, .entity],
        discussion: [
            "Nothing is fetched. Values are no part of the SQL: they stand below it, by the numbers of their places. The plan "
                + "is in the engine's own words (EXPLAIN QUERY PLAN of SQLite, EXPLAIN of PostgreSQL). XML and binary stores "
                + "have no SQL."
        ],
        options: [
            RequestOptions.predicate, RequestOptions.sort, RequestOptions.limit, RequestOptions.offset,
            Option("count", "the statement of a count instead"), RequestOptions.own, .model, .json,
        ],
        examples: [
            .init(
                "coredata sql Library.sqlite Book --where 'author.name == \"Melville\"' --sort title",
                "see whether an index serves")
        ],
        found: "the store has no SQL")

    private let store: String
    private let entity: String
    private let model: String?
    private let isJSON: Bool
    private let isCount: Bool
    private let options: RequestOptions

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        entity = try arguments.required(1)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
        isCount = arguments.has("count")
        options = try RequestOptions(arguments)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let entity = try store.entity(entity)
        let request = try options.request(for: entity, NSManagedObject.self)
        if isCount { request.resultType = .countResultType }
        let context = try store.context()
        let found = try context.performAndWait { try store.asking { try context.explain(request) } }
        guard let explanation = found.first else {
            throw ToolError(
                .found,
                "\(store.shown): a store of the kind \(store.address.type) has no SQL: its objects are searched in "
                    + "memory")
        }
        if isJSON {
            try console.write(json(explanation))
        } else {
            try text(explanation, console)
        }
        return .done
    }

    private func text(_ explanation: FetchExplanation, _ console: Console) throws {
        try console.line(Table.onOneLine(explanation.statement))
        if !explanation.parameters.isEmpty {
            try console.line("\n" + console.styled("Values", .bold))
            for (place, parameter) in explanation.parameters.enumerated() {
                try console.line("  \(place + 1)  \(Table.onOneLine(parameter.text))")
            }
        }
        try console.line("\n" + console.styled("Plan", .bold))
        for step in explanation.plan {
            let indent = String(repeating: "  ", count: step.depth + 1)
            try console.line(indent + Table.onOneLine(step.text))
        }
        if explanation.isFinishedByProgram {
            try console.line("  the program sorts or computes what the rows give")
        }
        if let index = explanation.suggestedIndex {
            try console.line("\n" + console.styled("Index", .bold))
            try console.line("  \(index)")
        }
    }

    private func json(_ explanation: FetchExplanation) -> JSON {
        .object([
            ("sql", .string(explanation.statement)), ("values", .array(explanation.parameters.map(\.json))),
            (
                "plan",
                .array(
                    explanation.plan.map {
                        .object([("depth", .integer(Int64($0.depth))), ("text", .string($0.text))])
                    })
            ),
            ("isFinishedByProgram", .bool(explanation.isFinishedByProgram)),
            ("suggestedIndex", explanation.suggestedIndex.map(json) ?? .null),
        ])
    }
}

extension SQLCommand {
    private func json(_ index: FetchExplanation.SuggestedIndex) -> JSON {
        .object([
            ("entity", .string(index.entityName)), ("property", .string(index.propertyName)),
            ("rows", .integer(Int64(index.rowCount))),
        ])
    }
}

extension FetchExplanation.Parameter {
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "'\(text)'"
        case .data(let bytes): Measure.bytes(Int64(bytes.count))
        case .uuid(let uuid): uuid.uuidString
        case .decimal(let number): "\(number)"
        }
    }

    fileprivate var json: JSON {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .double(let number): .number(number)
        case .string(let text): .string(text)
        case .data(let bytes): .string(bytes.base64EncodedString())
        case .uuid(let uuid): .string(uuid.uuidString)
        case .decimal(let number): number.isNaN ? .string("NaN") : .digits("\(number)")
        }
    }
}
