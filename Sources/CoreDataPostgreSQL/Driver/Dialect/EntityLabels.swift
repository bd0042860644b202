#if PostgreSQL
import CoreData

/// The labels of entities in the rows of tables: numbers by names, and names by numbers.
final class EntityLabels: Sendable {
    private let names: [Int64: String]
    private let numbers: [String: Int64]

    /// - Parameter labels: what rows call entities that have other names by now.
    convenience init(_ schema: SQLSchema, _ layout: ModelLayout, _ labels: [String: String] = [:]) {
        self.init(
            schema.layoutOfNumber.mapValues { index in
                let name = layout.entities[index].name
                return labels[name] ?? name
            })
    }

    init(_ names: [Int: String]) {
        self.names = Dictionary(uniqueKeysWithValues: names.map { (Int64($0), $1) })
        numbers = Dictionary(names.map { ($1, Int64($0)) }) { first, _ in first }
    }

    /// Makes an empty table of names, for a connection that only reads a store's metadata and model.
    init() {
        names = [:]
        numbers = [:]
    }

    func label(of number: Int64) -> String? { names[number] }
    func number(of label: String) -> Int64? { numbers[label] }
}
#endif
