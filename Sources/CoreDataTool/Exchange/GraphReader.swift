import CoreData
import Foundation

/// Reads an export and makes the store that it describes.
struct GraphReader {
    private var lines: LineReader
    private let shown: String
    private let console: Console

    /// - Parameter shown: the name of the export in messages.
    init(_ descriptor: Int32, shown: String, console: Console) {
        lines = LineReader(descriptor, shown: shown)
        self.shown = shown
        self.console = console
    }

    private func failure(_ problem: String, line: Int, column: Int? = nil) -> ToolError {
        let place = "line \(line)" + (column.map { ", column \($0)" } ?? "")
        return ToolError(.unreadable, "\(shown): \(place): \(Table.onOneLine(problem))", details: ["Nothing was made."])
    }

    private func failure(_ mistake: ReadJSON.Mistake, _ bytes: [UInt8]) -> ToolError {
        let before = String(decoding: bytes.prefix(mistake.offset), as: UTF8.self)
        return failure(mistake.problem, line: lines.number, column: before.unicodeScalars.count + 1)
    }

    mutating func header() throws -> GraphHeader {
        guard let first = try lines.next() else {
            throw ToolError(.unreadable, "\(shown): the export is empty", details: ["Nothing was made."])
        }
        let bytes = try withoutMark(first)
        do throws(ReadJSON.Mistake) {
            return try GraphHeader(ReadJSON(bytes))
        } catch {
            throw failure(error, bytes)
        }
    }

    /// The first line without the mark of UTF-8 that some editors put before it. Throws for a line in UTF-16.
    private func withoutMark(_ line: [UInt8]) throws -> [UInt8] {
        let brace = UInt8(ascii: "{")
        if [[0xFE, 0xFF], [0xFF, 0xFE], [brace, 0], [0, brace]].contains(where: { line.starts(with: $0) }) {
            throw ToolError(
                .unreadable, "\(shown): the export is in UTF-16, and has to be in UTF-8",
                details: ["'iconv -f UTF-16 -t UTF-8' makes it so. Nothing was made."])
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return line.starts(with: mark) ? Array(line.dropFirst(mark.count)) : line
    }

    /// The model of an export.
    ///
    /// - Parameter path: a model that replaces the one in the export.
    func model(of header: GraphHeader, given path: String?) throws -> NSManagedObjectModel {
        if let path {
            let file = try ModelArgument(path)
            guard let version = file.version(fitting: [NSStoreModelVersionHashesKey: header.versionHashes]) else {
                throw ToolError(.unreadable, "\(path) has no version that \(shown) was written with")
            }
            return version.model
        }
        guard let archive = header.model else {
            throw ToolError(.unreadable, "\(shown): the export has no model", details: ["Name one: --model PATH."])
        }
        do {
            return try NSManagedObjectModel.read(archive: archive)
        } catch {
            throw failure("the model is damaged: \(error.localizedDescription)", line: 1)
        }
    }

    /// Passes all objects to a writer. Call it on the queue of the writer's context.
    mutating func read(_ header: GraphHeader, into writer: GraphWriter) throws {
        let work = WorkLine("importing", of: header.counts.reduce(0) { $0 + $1.count }, on: console)
        defer { work.end() }
        let readers = writer.entities.mapValues(EntityReader.init)
        while let bytes = try lines.next() {
            if bytes.isEmpty { continue }
            let entity: String
            do throws(ReadJSON.Mistake) {
                entity = try Self.add(ReadJSON(bytes), line: lines.number, readers, to: writer)
            } catch {
                throw failure(error, bytes)
            }
            try work.advance(entity)
        }
        let expected = Dictionary(header.counts.map { ($0.entity, $0.count) }, uniquingKeysWith: +)
        for name in Set(expected.keys).union(writer.counts.keys).sorted() {
            let (found, wanted) = (writer.counts[name] ?? 0, expected[name] ?? 0)
            if found == wanted { continue }
            throw failure(
                "\(found) objects of '\(name)' where the first line says \(wanted): the export is not whole",
                line: lines.number)
        }
    }

    /// Lets the writer make links and save. Errors about contradictions have their places.
    func finish(_ writer: GraphWriter) throws -> [String: String] {
        do {
            return try writer.finish()
        } catch let error as GraphWriter.Contradiction {
            throw failure(error.message, line: error.line, column: error.offset + 1)
        }
    }

    // MARK: A line

    private struct EntityReader {
        let entity: GraphEntity
        let attributes: [String: NSAttributeDescription]
        let relationships: [String: NSRelationshipDescription]

        init(_ entity: GraphEntity) {
            self.entity = entity
            attributes = Dictionary(entity.attributes.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
            relationships = Dictionary(entity.relationships.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        }
    }

    private static func add(
        _ json: ReadJSON, line: Int, _ readers: [String: EntityReader], to writer: GraphWriter
    ) throws(ReadJSON.Mistake) -> String {
        let members = try json.members()
        guard let first = members.first, first.key.string == "@id" else {
            throw json.mistake("an object begins with '@id'")
        }
        let id = first.value
        let name = try id.text("a name such as \"Book/12\"")
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isReference(parts[1]) else {
            throw id.mistake("'\(name)' is no name such as 'Book/12'")
        }
        guard let reader = readers[String(parts[0])] else {
            let nearest = NearestName.hint(String(parts[0]), among: readers.keys.sorted())
            throw id.mistake(
                "the model has no entity '\(parts[0])'" + nearest)
        }
        if reader.entity.isAbstract { throw id.mistake("'\(parts[0])' is abstract: it has no objects") }
        if writer.has(name) { throw id.mistake("'\(name)' is there twice") }
        var values: [String: Any] = [:]
        var links: [GraphWriter.Links] = []
        var seen: Set<String> = []
        for member in members.dropFirst() {
            let (key, value) = (member.key, member.value)
            let property = try key.text()
            if !seen.insert(property).inserted { throw key.mistake("'\(property)' is there twice") }
            if let attribute = reader.attributes[property] {
                values[property] = try ExactValue.read(value, attribute)
            } else if let relationship = reader.relationships[property] {
                let names = try Self.names(value, relationship)
                links.append(.init(relationship: relationship, names: names, line: line, offset: key.offset))
            } else {
                let known = (Array(reader.attributes.keys) + reader.relationships.keys).sorted()
                let nearest = NearestName.hint(property, among: known)
                throw key.mistake("\(parts[0]) has no property '\(property)' that a store keeps\(nearest)")
            }
        }
        writer.add(name, reader.entity, values: values, links)
        return reader.entity.name
    }

    /// Whether a part of a name is a reference of a store: a number from 1 in its usual form, or a word.
    private static func isReference(_ text: Substring) -> Bool {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber || "+-".contains($0) }) else { return true }
        guard let number = Int64(text) else { return false }
        return "\(number)" == text && (1..<1 << 48).contains(number)
    }

    private static func names(
        _ json: ReadJSON, _ relationship: NSRelationshipDescription
    ) throws(ReadJSON.Mistake) -> [String] {
        if case .null = json.content { return [] }
        if !relationship.isToMany { return [try json.text("the name of an object")] }
        guard case .array(let elements) = json.content else { throw json.expected("a list of names") }
        var names: [String] = []
        for element in elements { names.append(try element.text("the name of an object")) }
        return names
    }
}
