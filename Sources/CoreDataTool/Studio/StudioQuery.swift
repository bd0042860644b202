import CoreData
import Foundation
import StudioServer

/// The objects in a request of the page: an entity, a predicate, an order.
struct StudioQuery: Hashable {
    let entity: String
    let format: String
    let sort: [RequestOptions.SortKey]
    let includesSubentities: Bool

    init(_ request: HTTPRequest) throws {
        entity = try request.required("entity")
        format = request.query["where"] ?? ""
        sort = request.sortKeys("sort")
        includesSubentities = request.query["subentities"] != "0"
    }

    var options: RequestOptions {
        get throws {
            let text = format.trimmingCharacters(in: .whitespacesAndNewlines)
            return try RequestOptions(
                predicate: text.isEmpty ? nil : format, sort: sort, includesSubentities: includesSubentities)
        }
    }

    func columns(_ request: HTTPRequest, in entity: NSEntityDescription) throws -> [Column] {
        let names = request.list("columns")
        return names.isEmpty ? Column.all(of: entity) : try names.map { try Column.named($0, in: entity) }
    }
}
