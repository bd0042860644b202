import CoreData
import Foundation

/// `coredata count`: the number of objects that match.
package struct CountCommand: Command {
    package static let page = CommandPage(
        "count", "say how many objects an entity has, or how many match",
        operands: [.store, .entity],
        options: [RequestOptions.predicate, RequestOptions.own, .model, .json],
        examples: [.init("coredata count Library.sqlite Book --where 'year > 1990'", "count the newer books")])

    private let store: String
    private let entity: String
    private let model: String?
    private let isJSON: Bool
    private let options: RequestOptions

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        entity = try arguments.required(1)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
        options = try RequestOptions(arguments)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let entity = try store.entity(entity)
        let request = try options.request(for: entity)
        let context = try store.context()
        let count = try context.performAndWait { try store.asking { try context.count(for: request) } }
        if isJSON {
            try console.writeLine(.object([("entity", .string(entity.name ?? "")), ("count", .integer(Int64(count)))]))
        } else {
            try console.line("\(count)")
        }
        return .done
    }
}
