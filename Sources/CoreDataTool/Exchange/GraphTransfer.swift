import CoreData
import Foundation

/// Copies all objects of a store into a new one of another kind, and compares the two.
final class GraphTransfer {
    let source: ResolvedStore
    let console: Console
    /// The state of the store that is copied, and compared afterwards. Other programs may write to the store during
    /// this.
    private var walk: GraphWalk?

    init(source: ResolvedStore, console: Console) {
        self.source = source
        self.console = console
    }

    private func openWalk() throws -> GraphWalk {
        let walk = try walk ?? GraphWalk(source)
        self.walk = walk
        return walk
    }

    /// Throws if a value of the store is in a file that is missing.
    func requireFiles() throws {
        let walk = try GraphWalk(source)
        try walk.context.performAndWait { try walk.requireFiles() }
    }

    struct Summary {
        var objects = 0
        var counts: [(entity: String, count: Int)] = []
        var keepsNumbers = true
        var dangling: [String] = []
    }

    /// Makes a new store of the objects.
    ///
    /// - Returns: the summary, and the names of the objects in the new store by those in the old one.
    func make(_ type: String, at url: URL, shown: String) throws -> (summary: Summary, names: [String: String]) {
        let walk = try openWalk()
        let writer = try GraphWriter(
            source.model, type: type, at: url, shown: shown, metadata: GraphHeader.own(source.metadata),
            identifier: nil)
        return try walk.context.performAndWait {
            let counts = try walk.counts()
            let line = WorkLine("reading", of: counts.reduce(0) { $0 + $1.count }, on: console)
            defer { line.end() }
            try walk.batches(counts) { entity, objects in
                try writer.context.performAndWait {
                    for object in objects {
                        add(object, entity, to: writer)
                        try line.advance(entity.name)
                    }
                }
            }
            line.end()
            let names = try writer.context.performAndWait {
                do {
                    return try writer.finish()
                } catch let error as GraphWriter.Contradiction {
                    throw ToolError(.failed, "\(source.shown): \(Table.onOneLine(error.message))")
                }
            }
            let summary = Summary(
                objects: writer.count, counts: counts.map { ($0.entity.name, $0.count) },
                keepsNumbers: writer.keepsNumbers, dangling: writer.dangling)
            return (summary, names)
        }
    }

    private func add(_ object: NSManagedObject, _ entity: GraphEntity, to writer: GraphWriter) {
        guard let own = writer.entities[entity.name] else { return }
        var values: [String: Any] = [:]
        for attribute in entity.attributes { values[attribute.name] = object.value(forKey: attribute.name) }
        let links = own.relationships.compactMap { relationship -> GraphWriter.Links? in
            let names = GraphEntity.targets(object, relationship).map { ObjectName.of($0.objectID) }
            return names.isEmpty
                ? nil : GraphWriter.Links(relationship: relationship, names: names, line: 0, offset: 0)
        }
        writer.add(ObjectName.of(object.objectID), own, values: values, links)
    }

    /// Compares every object with that of the other store.
    ///
    /// - Parameters:
    ///   - names: The names of the objects there; nil if they are the same.
    ///   - isRounded: Whether dates may differ by less than a microsecond.
    func compare(with other: ResolvedStore, names: [String: String]?, isRounded: Bool) throws -> Summary {
        let (walk, otherWalk) = (try openWalk(), try GraphWalk(other))
        var summary = Summary()
        func failure(_ what: String) -> ToolError {
            ToolError(
                .failed, "\(other.shown): the new store did not pass its verification",
                details: [
                    what, "\(source.shown) is as it was.",
                    "If another program writes it during this, convert a copy ('coredata copy').",
                ])
        }
        try walk.context.performAndWait {
            let counts = try walk.counts()
            summary.counts = counts.map { ($0.entity.name, $0.count) }
            summary.objects = counts.reduce(0) { $0 + $1.count }
            try otherWalk.context.performAndWait {
                let others = try otherWalk.counts().map { ($0.entity.name, $0.count) }
                for (one, other) in zip(summary.counts, others) where one != other {
                    throw failure("\(one.entity): \(one.count) objects; \(other.0): \(other.1) in the new store.")
                }
                if summary.counts.count != others.count { throw failure("Other entities have objects than before.") }
            }
            let line = WorkLine("comparing", of: summary.objects, on: console)
            defer { line.end() }
            let mine = GraphLine(isRounded: isRounded) { id in
                let name = ObjectName.of(id)
                guard let names else { return name }
                return names[name]
            }
            try walk.batches(counts) { entity, objects in
                let lines = objects.map { object in
                    var bytes: [UInt8] = []
                    mine.append(object, entity, to: &bytes)
                    return bytes
                }
                let wanted = objects.map { mine.name($0.objectID) ?? "" }
                try otherWalk.context.performAndWait {
                    let found = try Self.lines(of: wanted, entity, in: other, otherWalk, isRounded: isRounded)
                    for (place, object) in objects.enumerated() {
                        if lines[place] != found[place] {
                            let difference = Self.difference(lines[place], found[place])
                            throw failure("\(ObjectName.of(object.objectID)) differs: \(difference)")
                        }
                        try line.advance(entity.name)
                    }
                }
            }
        }
        return summary
    }

    private static func lines(
        of names: [String], _ entity: GraphEntity, in store: ResolvedStore, _ walk: GraphWalk, isRounded: Bool
    ) throws -> [[UInt8]] {
        guard let coordinator = walk.context.persistentStoreCoordinator else { return [] }
        let objects = try names.map { walk.context.object(with: try ObjectName.id($0, in: store, coordinator)) }
        // The comparison reports missing objects.
        try store.reading {
            try walk.context.fulfillFaults(of: objects, relationshipKeyPaths: entity.toManyNames)
        }
        let line = GraphLine(isRounded: isRounded)
        defer { walk.context.reset() }
        return try walk.reading {
            objects.map { object in
                var bytes: [UInt8] = []
                line.append(object, entity, to: &bytes)
                return bytes
            }
        }
    }

    /// The parts in which two lines differ, short enough for a message.
    private static func difference(_ one: [UInt8], _ other: [UInt8]) -> String {
        let common = zip(one, other).prefix { $0 == $1 }.count
        func part(_ bytes: [UInt8]) -> String {
            Table.onOneLine(String(decoding: bytes.dropFirst(max(0, common - 30)).prefix(80), as: UTF8.self))
        }
        return "…\(part(one))… is …\(part(other))… in the new store."
    }
}
