import CoreData
import Foundation
import TestSupport

/// The rows of a store's tables, found by the rules for names alone (not by the library's schema).
final class RawEntities {
    typealias Row = [String: RawDatabase.Value]

    let database: RawDatabase
    let model: NSManagedObjectModel
    /// Entity numbers by name, of Z_PRIMARYKEY.
    let numbers: [String: Int64]
    private let names: [Int64: String]
    private var rowsByRoot: [String: [Int64: Row]] = [:]
    private var columnByProperty: [String: [String]] = [:]

    init(_ url: URL, model: NSManagedObjectModel) throws {
        database = try RawDatabase(url)
        self.model = model
        var numbers: [String: Int64] = [:]
        for row in try database.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") {
            if case .text(let name) = row[0], let number = row[1].int { numbers[name] = number }
        }
        if !Set(model.entities.compactMap(\.name)).isSubset(of: numbers.keys) {
            // A migration left an old name: numbers go by name without case, each entity before its sub-entities.
            numbers = [:]
            var queue = Self.sorted(model.entities.filter { $0.superentity == nil })
            var next: Int64 = 1
            while !queue.isEmpty {
                let entity = queue.removeFirst()
                numbers[entity.name ?? ""] = next
                next += 1
                queue = Self.sorted(entity.subentities) + queue
            }
        }
        self.numbers = numbers
        names = Dictionary(numbers.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func sorted(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.sorted { ($0.name ?? "").lowercased() < ($1.name ?? "").lowercased() }
    }

    static func root(of entity: NSEntityDescription) -> NSEntityDescription {
        var entity = entity
        while let parent = entity.superentity { entity = parent }
        return entity
    }

    static func table(of entity: NSEntityDescription) -> String { "Z" + (root(of: entity).name ?? "").uppercased() }

    private static func withDescendants(_ entity: NSEntityDescription) -> [NSEntityDescription] {
        [entity] + entity.subentities.flatMap { withDescendants($0) }
    }

    // MARK: Rows

    /// All rows of the hierarchy's table by key.
    func rows(of entity: NSEntityDescription) throws -> [Int64: Row] {
        let table = Self.table(of: entity)
        if let known = rowsByRoot[table] { return known }
        let columns = try database.columns(of: table)
        var result: [Int64: Row] = [:]
        for values in try database.rows("SELECT * FROM \(table)") {
            let row = Dictionary(uniqueKeysWithValues: zip(columns, values))
            if let key = row["Z_PK"]?.int { result[key] = row }
        }
        rowsByRoot[table] = result
        return result
    }

    /// How many rows of exactly this entity SQLite counts. In a table of one entity all rows are of that entity: some
    /// old stores have stale numbers there.
    func count(of entity: NSEntityDescription) throws -> Int {
        if isAlone(entity) {
            return Int(try database.integer("SELECT count(*) FROM \(Self.table(of: entity))") ?? -1)
        }
        let number = numbers[entity.name ?? ""] ?? -1
        return Int(
            try database.integer(
                "SELECT count(*) FROM \(Self.table(of: entity)) WHERE Z_ENT = ?", [.int(number)]) ?? -1)
    }

    private func isAlone(_ entity: NSEntityDescription) -> Bool {
        entity.superentity == nil && entity.subentities.isEmpty
    }

    /// The entity of a row, by the number in it; nil when there is no such row.
    func entityName(of key: Int64, in entity: NSEntityDescription) throws -> String? {
        if isAlone(entity) { return try rows(of: entity)[key] == nil ? nil : entity.name }
        return try rows(of: entity)[key]?["Z_ENT"]?.int.flatMap { names[$0] }
    }

    // MARK: Columns

    /// The value of a property in a row. Where two branches of a hierarchy use one name there are several columns with
    /// numbers at their ends; a row has a value in one of them at most.
    func value(_ name: String, of row: Row, in entity: NSEntityDescription) throws -> RawDatabase.Value? {
        let values = try values(name, of: row, in: entity)
        return values.first { !$0.isNull } ?? values.first
    }

    /// The values in all columns of a name.
    func values(_ name: String, of row: Row, in entity: NSEntityDescription) throws -> [RawDatabase.Value] {
        try columns(name, in: entity).compactMap { row[$0] }
    }

    func columns(_ name: String, in entity: NSEntityDescription) throws -> [String] {
        let table = Self.table(of: entity)
        let place = table + "." + name
        if let known = columnByProperty[place] { return known }
        var others: Set<String> = []
        for member in model.entities where Self.table(of: member) == table {
            others.formUnion(member.propertiesByName.keys.map { "Z" + $0.uppercased() })
        }
        let column = "Z" + name.uppercased()
        let found = try database.columns(of: table).filter { candidate in
            candidate == column
                || (candidate.hasPrefix(column) && !others.contains(candidate)
                    && candidate.dropFirst(column.count).allSatisfy(\.isNumber))
        }
        columnByProperty[place] = found
        return found
    }

    // MARK: To-many relationships

    /// The keys of the members of a relationship by owner, in the order of the owner's list where there is one.
    func members(of relationship: NSRelationshipDescription) throws -> [Int64: [Int64]] {
        guard let destination = relationship.destinationEntity, let inverse = relationship.inverseRelationship else {
            return try membersWithoutInverse(of: relationship)
        }
        if inverse.isToMany { return try joined(relationship, inverse) }
        let order = relationship.isOrdered ? "Z_FOK_" + inverse.name.uppercased() : nil
        return try grouped(
            destination, columns: columns(inverse.name, in: destination),
            order: order.flatMap { try? database.columns(of: Self.table(of: destination)).contains($0) ? $0 : nil })
    }

    private func grouped(_ destination: NSEntityDescription, columns: [String], order: String?) throws -> [Int64:
        [Int64]]
    {
        var result: [Int64: [Int64]] = [:]
        let table = Self.table(of: destination)
        // Other branches of the hierarchy may have a column of the same name that belongs to another relationship.
        let numbers = Self.withDescendants(destination).compactMap { self.numbers[$0.name ?? ""] }
        let condition =
            isAlone(destination) ? "" : " AND Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
        for column in columns {
            let tail = order.map { "\($0), Z_PK" } ?? "Z_PK"
            for row in try database.rows(
                "SELECT \(column), Z_PK FROM \(table) WHERE \(column) > 0\(condition) ORDER BY \(tail)")
            {
                if let owner = row[0].int, let member = row[1].int { result[owner, default: []].append(member) }
            }
        }
        return result
    }

    private func membersWithoutInverse(of relationship: NSRelationshipDescription) throws -> [Int64: [Int64]] {
        guard let destination = relationship.destinationEntity else { return [:] }
        let number = numbers[Self.declaring(relationship).name ?? ""] ?? 0
        let column = "Z\(number)\(relationship.name.uppercased())"
        let order = "Z_FOK_" + column.dropFirst()
        let present = try database.columns(of: Self.table(of: destination))
        guard present.contains(column) else {
            throw RawDatabase.Failure(description: "no column \(column) for \(relationship.name)")
        }
        return try grouped(destination, columns: [column], order: present.contains(order) ? order : nil)
    }

    /// The top-most entity that has the relationship.
    private static func declaring(_ relationship: NSRelationshipDescription) -> NSEntityDescription {
        var entity = relationship.entity
        while let parent = entity.superentity, parent.relationshipsByName[relationship.name] != nil { entity = parent }
        return entity
    }

    private func joined(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
    ) throws -> [Int64: [Int64]] {
        guard let destination = relationship.destinationEntity else { return [:] }
        let table: String
        let owner: String
        let member: String
        if let found = try joinTable(relationship, inverse) {
            (table, owner, member) = found
        } else {
            throw RawDatabase.Failure(description: "no join table for \(relationship.name)")
        }
        let present = try database.columns(of: table)
        let order = "Z_FOK_" + member.dropFirst(2)
        let tail = relationship.isOrdered && present.contains(order) ? order : "m.Z_PK"
        var result: [Int64: [Int64]] = [:]
        let text =
            "SELECT j.\(owner), j.\(member) FROM \(table) j JOIN \(Self.table(of: destination)) m "
            + "ON m.Z_PK = j.\(member) ORDER BY \(tail)"
        for row in try database.rows(text) {
            if let owner = row[0].int, let member = row[1].int { result[owner, default: []].append(member) }
        }
        return result
    }

    /// The column named after a relationship holds the keys of its destination.
    private func joinTable(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
    ) throws -> (String, owner: String, member: String)? {
        let ownerNumber = numbers[Self.declaring(relationship).name ?? ""] ?? 0
        let memberNumber = numbers[Self.declaring(inverse).name ?? ""] ?? 0
        let owner = "Z_\(ownerNumber)\(inverse.name.uppercased())"
        let member = "Z_\(memberNumber)\(relationship.name.uppercased())"
        func matches(_ column: String, _ name: String) -> Bool {
            column.hasPrefix(name) && column.dropFirst(name.count).allSatisfy(\.isNumber)
        }
        for table in database.tables.sorted() where table.hasPrefix("Z_") && table.dropFirst(2).first?.isNumber == true
        {
            let present = try database.columns(of: table)
            if relationship === inverse, present.contains("REFLEXIVE"), present.contains(member) {
                return (table, "REFLEXIVE", member)
            }
            if let first = present.first(where: { matches($0, owner) }),
                let second = present.first(where: { matches($0, member) && $0 != first })
            {
                return (table, first, second)
            }
        }
        return nil
    }
}
