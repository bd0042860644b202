import CoreData
import Foundation
import MacCheckKit
import TestSupport

/// The rows of a SQLite file, read by statements without this framework: the number of objects of each entity, and the
/// texts, whole numbers and keys of columns that are named as the property is.
struct RawRows {
    private let database: RawDatabase
    private let model: NSManagedObjectModel
    /// The numbers of entities by name.
    private var numbers: [String: Int64] = [:]

    init(_ file: URL, _ model: NSManagedObjectModel) throws {
        database = try RawDatabase(file)
        self.model = model
        for row in try database.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") {
            guard case .text(let name) = row[0], let number = row[1].int else { continue }
            numbers[name] = number
        }
        // Apple's migrations leave old names. Numbers go by name without case, each entity before its subentities.
        guard !Set(model.entitiesByName.keys).isSubset(of: numbers.keys) else { return }
        numbers = [:]
        number(model.entities.filter { $0.superentity == nil })
    }

    private mutating func number(_ entities: [NSEntityDescription]) {
        for entity in entities.sorted(by: { ($0.name ?? "").lowercased() < ($1.name ?? "").lowercased() }) {
            numbers[entity.name ?? ""] = Int64(numbers.count + 1)
            number(entity.subentities)
        }
    }

    /// What the listed objects have that the rows do not have.
    func differences(to contents: Contents) throws -> [String] {
        try contents.entities.keys.sorted().flatMap { name -> [String] in
            guard let entity = model.entitiesByName[name], let objects = contents.entities[name] else { return [] }
            guard let number = numbers[name] else { return ["\(name): no number"] }
            let table = "Z" + Self.root(of: entity).uppercased()
            let columns = Set(try database.columns(of: table))
            if columns.isEmpty { return [] }
            let count = try database.integer("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)") ?? 0
            var lines = count == objects.count ? [] : ["\(name): \(count) rows, \(objects.count) objects"]
            for (property, values) in try values(of: entity, table, columns, number) {
                for (key, texts) in objects.objects where texts[property] != nil && values[key] != texts[property] {
                    let found = texts[property] ?? "none"
                    lines.append("\(name)/\(key).\(property): \(values[key] ?? "none") in the row, \(found) read")
                }
            }
            return lines
        }
    }

    private static func root(of entity: NSEntityDescription) -> String {
        entity.superentity.map(root) ?? entity.name ?? ""
    }

    /// The texts of the comparable properties of an entity's rows, by property and key.
    private func values(
        of entity: NSEntityDescription, _ table: String, _ columns: Set<String>, _ number: Int64
    ) throws -> [String: [String: String]] {
        var values: [String: [String: String]] = [:]
        for property in entity.properties where !property.isTransient {
            let column = "Z" + property.name.uppercased()
            // A second property of the name in the table has a column with a number.
            guard columns.contains(column), !columns.contains(column + "1"), isComparable(property) else { continue }
            values[property.name] = [:]
            for row in try database.rows("SELECT Z_PK, \(column) FROM \(table) WHERE Z_ENT = \(number)") {
                guard let key = row[0].int else { continue }
                values[property.name]?["p\(key)"] = Self.text(row[1], property)
            }
        }
        return values
    }

    private func isComparable(_ property: NSPropertyDescription) -> Bool {
        switch property {
        case let relationship as NSRelationshipDescription:
            // Another column has the entity of an object of a hierarchy.
            guard let destination = relationship.destinationEntity else { return false }
            return !relationship.isToMany && destination.superentity == nil && destination.subentities.isEmpty
        case let attribute as NSAttributeDescription:
            return !attribute.allowsExternalBinaryDataStorage
                && [.string, .integer16, .integer32, .integer64, .boolean].contains(attribute.type)
        default: return false
        }
    }

    private static func text(_ value: RawDatabase.Value, _ property: NSPropertyDescription) -> String {
        if let relationship = property as? NSRelationshipDescription {
            return value.int.map { "\(relationship.destinationEntity?.name ?? "")/p\($0)" } ?? "nil"
        }
        guard let attribute = property as? NSAttributeDescription else { return "" }
        switch value {
        case .int(let number): return PropertyText.text(NSNumber(value: number), of: attribute)
        case .text(let text): return PropertyText.text(text, of: attribute)
        default: return "nil"
        }
    }
}
