#if PostgreSQL
import CoreData
import Foundation

// The map of names in the database, where the triggers read it.
extension PostgreSQLNames {
    /// The map of a database; nil where it keeps none.
    init?(of connection: PostgreSQLConnection) throws {
        self.init()
        if try !connection.isThere("coredata.columns") { return nil }
        for row in try connection.rows("SELECT entity, \"table\" FROM coredata.tables WHERE parent IS NULL") {
            tables[row[0] ?? ""] = row[1]
        }
        let select = "SELECT entity, property, role, \"column\", \"table\" FROM coredata.columns"
        for row in try connection.rows(select) {
            if row[2] == "members" { joins["\(row[0] ?? "").\(row[1] ?? "")"] = row[4] }
            columns[PropertyPart(entity: row[0] ?? "", property: row[1] ?? "", role: row[2] ?? "")] =
                row[3].map(PostgreSQLDialect.column(given:))
        }
    }

    // MARK: Writing

    /// The statements that make the map of a schema.
    ///
    /// - Parameter labels: what rows call entities that have other names by now.
    static func statements(
        for schema: SQLSchema, _ layout: ModelLayout, labels: [String: String] = [:]
    ) -> [String] {
        var writer = Writer(schema: schema, layout: layout, labels: labels)
        writer.add()
        return Self.definitions + writer.statements
    }

    /// For an entity: its table, its number, and the mark and the size of its properties in history. For a
    /// property: its column, the bit that stands for it in history, and, if it leads to a row, the table of that
    /// row and the relationship there whose members change with it.
    private static let definitions = [
        """
        CREATE TABLE IF NOT EXISTS coredata.tables (entity text COLLATE "C" PRIMARY KEY, parent text, \
        "table" text NOT NULL, number bigint NOT NULL, mark bigint NOT NULL, bytes integer NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS coredata.columns (entity text COLLATE "C" NOT NULL, property text NOT NULL, \
        role text NOT NULL, "table" text, "column" text, bit integer, target text, inverse text, \
        PRIMARY KEY (entity, property, role))
        """,
        "TRUNCATE coredata.tables, coredata.columns",
    ]

    private struct Writer {
        let schema: SQLSchema
        let layout: ModelLayout
        let labels: [String: String]
        private let dialect = PostgreSQLDialect()
        private var tables: [String] = []
        private var columns: [String] = []

        init(schema: SQLSchema, layout: ModelLayout, labels: [String: String]) {
            self.schema = schema
            self.layout = layout
            self.labels = labels
        }

        var statements: [String] {
            func insert(_ table: String, _ rows: [String]) -> [String] {
                rows.isEmpty ? [] : ["INSERT INTO coredata.\(table) VALUES \(rows.joined(separator: ", "))"]
            }
            return insert("tables", tables) + insert("columns", columns)
        }

        private func row(_ values: [SlotValue]) -> String {
            "(" + values.map { dialect.literal($0) }.joined(separator: ", ") + ")"
        }

        private func label(_ name: String) -> String { labels[name] ?? name }

        private func text(_ text: String?) -> SlotValue { text.map { .string($0) } ?? .null }

        private func table(of entity: NSEntityDescription?) -> String? {
            entity.flatMap { layout.layout(of: $0) }.flatMap { schema.table(ofRoot: $0.rootIndex)?.name }
        }

        mutating func add() {
            for entity in layout.entities {
                guard let number = schema.numbers[entity.index],
                    let table = schema.table(ofRoot: entity.rootIndex)?.name
                else { continue }
                let properties = HistoryProperties(entity, mark: schema.historyMarks[entity.index])
                let parent = entity.superIndex.map { label(layout.entities[$0].name) }
                tables.append(
                    row([
                        .string(label(entity.name)), text(parent), .string(table), .int(Int64(number)),
                        .int(properties.mark), .int(Int64(properties.byteCount)),
                    ]))
                for (number, slot) in entity.slots.enumerated() where slot.isPersistent {
                    add(slot, number: number, entity: entity, table: table, properties: properties)
                }
                for toMany in entity.toManys { add(toMany, entity, properties) }
            }
        }

        private mutating func add(
            _ slot: Slot, number: Int, entity: EntityLayout, table: String, properties: HistoryProperties
        ) {
            guard let column = schema.columns[entity.index][number] else { return }
            var (target, inverse): (String?, String?) = (nil, nil)
            switch slot.role {
            case .toOne(let relationship, _):
                target = self.table(of: relationship.destinationEntity)
                if relationship.inverseRelationship?.isToMany == true {
                    inverse = relationship.inverseRelationship?.name
                }
            case .owner(let relationship):
                (target, inverse) = (self.table(of: relationship.entity), relationship.name)
            case .attribute, .companion, .order: break
            }
            let part = PostgreSQLNames.part(of: slot, in: entity)
            columns.append(
                row([
                    .string(label(part.entity)), .string(part.property), .string(part.role), .string(table),
                    .string(PostgreSQLDialect.asGiven(column)),
                    properties.bit(ofSlot: number).map { .int(Int64($0)) } ?? .null, text(target), text(inverse),
                ]))
        }

        /// A to-many relationship has a bit; one with a join table has the column of its owners, too.
        private mutating func add(_ toMany: ToManySlot, _ entity: EntityLayout, _ properties: HistoryProperties) {
            guard let bit = properties.bit(ofToMany: toMany.index) else { return }
            let end = schema.joinEnds[entity.index][toMany.index]
            columns.append(
                row([
                    .string(label(entity.name)), .string(toMany.relationship.name), .string("members"),
                    text(end?.table),
                    text(end.map { PostgreSQLDialect.asGiven($0.ownerColumn) }), .int(Int64(bit)),
                    text(table(of: entity.entity)), .null,
                ]))
        }
    }
}
#endif
