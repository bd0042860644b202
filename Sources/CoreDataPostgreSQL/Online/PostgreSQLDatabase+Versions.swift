#if PostgreSQL
    import CoreData

    // What programs of another version write into history.
    extension PostgreSQLDatabase {
        func propertiesOfOtherVersions() throws -> [Int: [Int64: [String?]]] {
            guard let admitted else { return [:] }
            return try reading { connection in
                let others = try connection.locksOfReadableVersions()
                if let known = otherVersions.withLock({ $0 }), known.locks == others { return known.properties }
                let versions = try PostgreSQLVersion.all(on: connection)
                var properties: [Int: [Int64: [String?]]] = [:]
                if let own = versions.first(where: { $0.lock == admitted.version }) {
                    for version in versions where version.lock != own.lock && !version.model.isEmpty {
                        try add(version, besides: own, connection, to: &properties)
                    }
                }
                let found = properties
                otherVersions.withLock { $0 = (others, found) }
                return found
            }
        }

        /// Of the two versions one comes from the other, and knows what that one calls its properties.
        private func add(
            _ version: PostgreSQLVersion, besides own: PostgreSQLVersion, _ connection: PostgreSQLConnection,
            to properties: inout [Int: [Int64: [String?]]]
        ) throws {
            let names = Dictionary(own.places.numbers.map { ($1, $0) }) { first, _ in first }
            let (model, layout, _) = try version.schema(of: connection.address.shown)
            defer { withExtendedLifetime(model) {} }
            for entity in layout.entities {
                guard let number = version.places.numbers[entity.name], let name = names[number] else { continue }
                let order = HistoryProperties(entity)
                var translated: [String: String] = [:]
                if let origins = version.places.origins[entity.name] {
                    translated = origins
                } else {
                    for (newer, older) in own.places.origins[name] ?? [:] { translated[older] = newer }
                }
                properties[number, default: [:]][order.mark] = order.names.map { $0.flatMap { translated[$0] } }
            }
        }
    }
#endif
