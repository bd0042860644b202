#if PostgreSQL
import CoreData
import Foundation

/// A version of the model that a store serves, is about to serve, or has served: the metadata of the store as that
/// version, and the tables and columns of the version's properties.
///
/// A store has no such rows before its first online migration. Afterwards it has a row for its newest version, too:
/// rows may have older names of entities, and columns may have other names than in a new store.
struct PostgreSQLVersion {
    enum State: String {
        /// A migration to it is under way.
        case coming
        case served
        /// Its programs are refused. Tables and columns that only it needs may still be there.
        case ended
        /// None of its own parts is left.
        case removed
    }

    /// The number of the lock of the version.
    var lock: Int64
    /// How often the store has begun to serve the version: a program of an earlier period has other columns.
    var generation: Int64 = 0
    var state = State.served
    var metadata: [String: Any]
    var model: Data
    var places: PostgreSQLPlaces
}

/// The tables and columns of a version's properties, by their names in the version.
struct PostgreSQLPlaces {
    var names = PostgreSQLNames()
    /// The numbers of entities.
    var numbers: [String: Int] = [:]
    /// The labels of entities in rows.
    var labels: [String: String] = [:]
    /// By entity and property: what the version before calls it.
    var origins: [String: [String: String]] = [:]
    /// By the number of an entity, and the mark of its changes in history: what this version calls the properties
    /// that the bits of all earlier versions stand for. It stays when those versions are gone.
    var earlierBits: [Int: [Int64: [String?]]] = [:]
    /// The origins of values, where a mapping model defines them.
    var mapping: [String] = []
    /// A text that distinguishes the plan of the migration to this version from other plans.
    var plan = ""
    /// The names of values that the version before has, that this one has no place for, and whose loss no option
    /// allows.
    var guarded: [String] = []

    /// Makes the places of a version whose tables were found in a database without rows of versions.
    init(names: PostgreSQLNames, numbers: [String: Int]) {
        self.names = names
        self.numbers = numbers
    }

    /// The columns in which the version before, which is still served, keeps what this one keeps elsewhere.
    var formerKeys: [PostgreSQLNames.PropertyPart: String] {
        names.columns.filter { $0.key.role == PostgreSQLNames.PropertyPart.formerRole }
    }

    func label(of entity: String) -> String { labels[entity] ?? entity }

    // MARK: As a property list

    private static let separator = "\u{1}"

    var list: Data {
        var columns: [String: String] = [:]
        for (place, column) in names.columns {
            columns[[place.entity, place.property, place.role].joined(separator: Self.separator)] = column
        }
        let list: [String: Any] = [
            "tables": names.tables, "joins": names.joins, "columns": columns, "numbers": numbers,
            "labels": labels, "origins": origins, "mapping": mapping, "plan": plan, "guarded": guarded,
            "marks": names.marks.mapValues(Int.init), "bits": listOfEarlierBits,
        ]
        return (try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)) ?? Data()
    }

    init(list: Data) {
        guard let list = MetadataList.dictionary(from: list) else { return }
        names.tables = list["tables"] as? [String: String] ?? [:]
        names.joins = list["joins"] as? [String: String] ?? [:]
        numbers = list["numbers"] as? [String: Int] ?? [:]
        labels = list["labels"] as? [String: String] ?? [:]
        origins = list["origins"] as? [String: [String: String]] ?? [:]
        mapping = list["mapping"] as? [String] ?? []
        plan = list["plan"] as? String ?? ""
        guarded = list["guarded"] as? [String] ?? []
        names.marks = (list["marks"] as? [String: Int] ?? [:]).mapValues(Int64.init)
        readEarlierBits(list["bits"] as? [String: [String]] ?? [:])
        for (key, column) in list["columns"] as? [String: String] ?? [:] {
            let parts = key.components(separatedBy: Self.separator)
            guard parts.count == 3 else { continue }
            names.columns[.init(entity: parts[0], property: parts[1], role: parts[2])] = column
        }
    }
}

extension PostgreSQLVersion {
    /// The version's model, and its tables. The layout does not keep the model.
    func schema(of url: URL) throws -> (model: NSManagedObjectModel, layout: ModelLayout, schema: SQLSchema) {
        let model = try StoredModel.decode(model, of: url)
        let layout = ModelLayout(model: model)
        let held = (metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map { Set($0.keys) }
        return (
            model, layout,
            SQLSchemaBuilder.schema(
                of: layout, entities: held, numbers: places.numbers, style: PostgreSQLStyle(places.names))
        )
    }

    // MARK: In the database

    private static let columns = "lock, generation, state, metadata, model, places"

    /// All rows, the newest last; none where the store was never migrated online.
    static func all(on connection: PostgreSQLConnection) throws -> [PostgreSQLVersion] {
        guard try connection.isThere("coredata.model_versions") else { return [] }
        return try connection.rows(
            "SELECT lock, generation, state, encode(metadata, 'hex'), encode(model, 'hex'), encode(places, 'hex') "
                + "FROM coredata.model_versions ORDER BY number"
        ).map { row in
            PostgreSQLVersion(
                lock: row[0].flatMap { Int64($0) } ?? 0, generation: row[1].flatMap { Int64($0) } ?? 0,
                state: row[2].flatMap(State.init) ?? .removed,
                metadata: MetadataList.dictionary(from: data(row[3])) ?? [:], model: data(row[4]),
                places: PostgreSQLPlaces(list: data(row[5])))
        }
    }

    /// The version with a lock, if its programs are admitted.
    static func served(_ lock: Int64, on connection: PostgreSQLConnection) throws -> PostgreSQLVersion? {
        try all(on: connection).first { $0.lock == lock && $0.state == .served }
    }

    /// The versions that are served.
    static func served(on connection: PostgreSQLConnection) throws -> [PostgreSQLVersion] {
        try all(on: connection).filter { $0.state == .served }
    }

    private static func data(_ hex: String?) -> Data {
        var bytes = Data()
        var high: UInt8?
        for letter in (hex ?? "").utf8 {
            let digit = letter < 58 ? letter &- 48 : letter &- 87
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    /// The statement that writes the row, or writes it anew. A version that comes back begins another generation.
    func writing() throws -> String {
        let dialect = PostgreSQLDialect()
        let list = try PropertyListSerialization.data(
            fromPropertyList: Self.description(of: metadata), format: .binary, options: 0)
        let values = [list, model, places.list].map { dialect.literal(ofBytes: Array($0)) }
        return """
            INSERT INTO coredata.model_versions AS known (\(Self.columns)) \
            VALUES (\(lock), 0, '\(state.rawValue)', \(values.joined(separator: ", "))) \
            ON CONFLICT (lock) DO UPDATE SET state = excluded.state, metadata = excluded.metadata, \
            model = excluded.model, places = excluded.places, seen = now(), \
            number = nextval(pg_get_serial_sequence('coredata.model_versions', 'number')), \
            generation = known.generation + CASE WHEN known.state IN ('ended', 'removed') THEN 1 ELSE 0 END
            """
    }

    /// The statement that removes from the row of this version the columns in which an older version keeps links.
    func forgettingFormerKeys() -> String {
        var places = places
        for key in places.formerKeys.keys { places.names.columns[key] = nil }
        let list = PostgreSQLDialect().literal(ofBytes: Array(places.list))
        return "UPDATE coredata.model_versions SET places = \(list) WHERE lock = \(lock)"
    }

    /// The part of a store's metadata that depends on the version; the rest is common to all versions.
    static func description(of metadata: [String: Any]) -> [String: Any] {
        metadata.filter {
            SQLStoreMetadata.reservedKeys.contains($0.key) || $0.key == NSStoreModelVersionIdentifiersKey
        }
    }

    /// The metadata of the store for a program of this version.
    func metadata(over newest: [String: Any]) -> [String: Any] {
        Self.metadata(metadata, over: newest)
    }

    static func metadata(_ description: [String: Any], over present: [String: Any]) -> [String: Any] {
        var result = present.filter {
            !SQLStoreMetadata.reservedKeys.contains($0.key) && $0.key != NSStoreModelVersionIdentifiersKey
        }
        for (key, value) in Self.description(of: description) { result[key] = value }
        return result
    }
}
#endif
