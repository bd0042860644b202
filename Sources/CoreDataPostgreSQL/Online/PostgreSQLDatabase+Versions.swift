#if PostgreSQL
import CoreData

// The properties in history that programs of another version have written.
extension PostgreSQLDatabase {
    func propertiesOfOtherVersions() throws -> [Int: [Int64: [String?]]] {
        guard let admitted else { return [:] }
        return try reading { connection in
            let others = try connection.locksOfReadableVersions()
            if let known = otherVersions.withLock({ $0 }), known.locks == others { return known.properties }
            let versions = try PostgreSQLVersion.all(on: connection)
            var properties: [Int: [Int64: [String?]]] = [:]
            if let place = versions.firstIndex(where: { $0.lock == admitted.version }) {
                let own = versions[place]
                properties = own.places.earlierBits
                // A row that an earlier release of the framework has written has no names of the version before,
                // but that version's model has them.
                if properties.isEmpty, let older = versions[..<place].last(where: { !$0.model.isEmpty }) {
                    try add(older, besides: own, isNewer: false, connection, to: &properties)
                }
                // The next one comes from this one. No third one is served.
                let newer = versions[(place + 1)...].first {
                    [.served, .coming].contains($0.state) && !$0.model.isEmpty
                }
                if let newer { try add(newer, besides: own, isNewer: true, connection, to: &properties) }
            }
            let found = properties
            otherVersions.withLock { $0 = (others, found) }
            return found
        }
    }

    /// Adds the names of the properties in another version. Of the two versions one was made from the other, and
    /// its model has the other's names.
    private func add(
        _ version: PostgreSQLVersion, besides own: PostgreSQLVersion, isNewer: Bool,
        _ connection: PostgreSQLConnection, to properties: inout [Int: [Int64: [String?]]]
    ) throws {
        let names = Dictionary(own.places.numbers.map { ($1, $0) }) { first, _ in first }
        let (model, layout, schema) = try version.schema(of: connection.address.shown)
        defer { withExtendedLifetime(model) {} }
        for entity in layout.entities {
            guard let number = version.places.numbers[entity.name], let name = names[number] else { continue }
            let order = HistoryProperties(entity, mark: schema.historyMarks[entity.index])
            var translated: [String: String] = [:]
            if isNewer {
                translated = version.places.origins[entity.name] ?? [:]
            } else {
                for (newer, older) in own.places.origins[name] ?? [:] { translated[older] = newer }
            }
            properties[number, default: [:]][order.mark] = order.names.map { $0.flatMap { translated[$0] } }
        }
    }
}
#endif
