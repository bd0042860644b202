import Foundation
import TestSupport

@testable import CoreData

/// Everything of a store's file but the rows of its objects: the schema's text, the metadata, the archived model, and
/// the rows of the bookkeeping tables.
enum StoreEntries {
    static func entries(of url: URL) throws -> FormEntries {
        let raw = try RawDatabase(url)
        var entries = FormEntries()
        try addSettings(of: raw, to: &entries)
        try addSchema(of: raw, to: &entries)
        try addMetadata(of: raw, to: &entries)
        try addModel(of: raw, to: &entries)
        try addRows(of: raw, to: &entries)
        return entries
    }

    private static func addSettings(of raw: RawDatabase, to entries: inout FormEntries) throws {
        for name in ["page_size", "encoding", "auto_vacuum", "user_version", "application_id"] {
            let value = try raw.column("PRAGMA \(name)").first
            entries.add([.word("settings"), .word(name)], value.map { "\($0)" } ?? "none")
        }
    }

    // MARK: Schema

    private static func addSchema(of raw: RawDatabase, to entries: inout FormEntries) throws {
        var order: [String: [String]] = [:]
        var implied: [String: [String]] = [:]
        for row in try raw.rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid") {
            guard case .text(let type) = row[0], case .text(let name) = row[1], case .text(let sql) = row[2] else {
                continue
            }
            let place: [FormPlace] = [.word(type), .name(name)]
            let text = sql.replacingOccurrences(of: "\"", with: "").split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            order[type, default: []].append(type == "index" ? nameInOrder(name, text, &implied) : name)
            guard type == "table" else {
                entries.add(kindOfIndex(type, name, text) + [.name(name)], text)
                continue
            }
            entries.add(place, "table")
            entries.add(place + [.word("text")], text)
        }
        for (type, names) in order {
            entries.add([.word("order of creation"), .word(type)], names.joined(separator: ", "))
        }
        for (entity, names) in implied {
            entries.add(
                [.word("order of creation"), .word("implied index"), .name(entity)], names.joined(separator: ", "))
        }
    }

    /// The name of an index in the order of their creation. Apple's order of the indexes that attributes imply is that
    /// of a hash table, so each of them has the name of its entity, and their order is an entry of its own.
    private static func nameInOrder(_ name: String, _ text: String, _ implied: inout [String: [String]]) -> String {
        guard let found = text.wholeMatch(of: /CREATE INDEX Z_(\w+)_(\w+) ON \w+ \(Z(\w+) COLLATE BINARY ASC\)/),
            found.3.hasPrefix(found.2.uppercased())
        else { return name }
        implied[String(found.1), default: []].append(name)
        return "implied of \(found.1)"
    }

    private static func kindOfIndex(_ type: String, _ name: String, _ text: String) -> [FormPlace] {
        guard type == "index" else { return [.word(type)] }
        if text.hasPrefix("CREATE UNIQUE") { return [.word("index"), .word("uniqueness")] }
        return [.word("index"), .word(text.contains("COLLATE") ? "fetch index" : "key")]
    }

    // MARK: Metadata

    private static func addMetadata(of raw: RawDatabase, to entries: inout FormEntries) throws {
        let row = try raw.rows("SELECT Z_VERSION, typeof(Z_UUID), Z_PLIST FROM Z_METADATA").first ?? []
        entries.add([.word("metadata"), .word("Z_VERSION")], "\(row[0])")
        entries.add([.word("metadata"), .word("Z_UUID")], "\(row[1])")
        guard case .blob(let data) = row[2] else { return }
        entries.add([.word("metadata"), .word("form")], String(decoding: data.prefix(8), as: UTF8.self))
        guard case .dictionary(let list) = try BinaryPropertyListReader.read(data) else { return }
        for (key, value) in list {
            let isNamed = key.hasPrefix("NS") || key.hasPrefix("_NS") || key == "migrationManagerClass"
            let place: [FormPlace] = [.word("metadata"), isNamed ? .word(key) : .name(key)]
            guard case .dictionary(let entities) = value else {
                entries.add(place, "\(value)")
                continue
            }
            entries.add(place, "dictionary")
            for (name, entry) in entities { entries.add(place + [.name(name)], "\(entry)") }
        }
    }

    private static func addModel(of raw: RawDatabase, to entries: inout FormEntries) throws {
        guard raw.tables.contains("Z_MODELCACHE"),
            case .blob(let cache)? = try raw.column("SELECT Z_CONTENT FROM Z_MODELCACHE").first
        else { return }
        let model = try ArchiveEntries.entries(of: RawDeflate.decompress(cache))
        for (place, text) in model.texts { entries.add([.word("model")] + place, text) }
    }

    // MARK: Rows

    private static func addRows(of raw: RawDatabase, to entries: inout FormEntries) throws {
        let columns = try raw.columns(of: "Z_PRIMARYKEY")
        entries.add([.word("Z_PRIMARYKEY"), .word("columns")], "\(columns)")
        for row in try raw.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
            guard case .int(let number) = row[0], case .text(let name) = row[1], case .int(let parent) = row[2] else {
                continue
            }
            entries.add([.word("Z_PRIMARYKEY"), .name("\(number)")], name)
            entries.add([.word("Z_PRIMARYKEY"), .name("\(number)"), .word("Z_SUPER")], "\(parent)")
        }
        for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] where raw.tables.contains(table) {
            guard try raw.integer("SELECT count(*) FROM \(table)") ?? 0 > 0 else { continue }
            for column in ["Z_ENT", "Z_OPT"] {
                let types = try raw.column(
                    "SELECT group_concat(t) FROM (SELECT DISTINCT typeof(\(column)) AS t FROM \(table) ORDER BY 1)")
                if case .text(let text)? = types.first { entries.add([.word(table), .word(column)], text) }
            }
        }
    }
}
