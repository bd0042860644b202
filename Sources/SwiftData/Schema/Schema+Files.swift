import Foundation

extension Schema: Codable {
    /// Decodes a schema. Its classes are those of the program if they still have the properties of the schema.
    ///
    /// - Throws: `DecodingError` for anything that is no schema.
    public convenience init(from decoder: any Decoder) throws {
        let form = try SchemaForm(from: decoder)
        guard form.encodingVersion.major <= Self.schemaEncodingVersion.major else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the form has version \(form.encodingVersion), which is newer than "
                        + "\(Self.schemaEncodingVersion)"))
        }
        if let entities = Self.entitiesOfClasses(form) {
            self.init(entities: entities, version: form.version, encodingVersion: form.encodingVersion)
        } else {
            self.init(
                entities: try Self.entities(form), version: form.version, encodingVersion: form.encodingVersion)
        }
    }

    /// Encodes the schema.
    public func encode(to encoder: any Encoder) throws {
        try SchemaForm(
            encodingVersion: Self.schemaEncodingVersion, version: version, entities: entities.map { EntityForm($0) }
        ).encode(to: encoder)
    }

    /// Reads a schema from a file.
    ///
    /// The schema has the program's classes if they still describe it. Otherwise its entities have no classes: a
    /// container opens their store, and programs use the objects by ``ModelContext/managedObjectContext``.
    ///
    /// - Parameter fileURL: A file that ``save(to:)`` has written.
    /// - Returns: The schema.
    /// - Throws: The error of the file; `SwiftDataError.unknownSchema` for a file that has no schema, with the place.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/load(from:))
    public static func load(from fileURL: URL) throws -> Schema {
        let data = try Data(contentsOf: fileURL)
        do {
            return try JSONDecoder().decode(Schema.self, from: data)
        } catch {
            throw SwiftDataError.unknownSchema.because(
                "\(fileURL.path) has no schema: \(sentence(of: error))", error)
        }
    }

    /// Writes the schema to a file, as JSON.
    ///
    /// - Parameter fileURL: The place. A file that is there is replaced.
    /// - Throws: The error of the file.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/save(to:))
    public func save(to fileURL: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: fileURL, options: .atomic)
    }

    /// The entities of the program's classes, if they are those of a form.
    private static func entitiesOfClasses(_ form: SchemaForm) -> [Entity]? {
        let types = form.entities.compactMap(\.type)
        if types.count < form.entities.count { return nil }
        let schema = Schema(types)
        let isEqual = schema.fault == nil && schema.entities.map { EntityForm($0) } == form.entities
        return isEqual ? schema.entities : nil
    }

    /// New entities of a form.
    private static func entities(_ form: SchemaForm) throws -> [Entity] {
        let entities = try form.entities.map { try $0.entity() }
        func unreadable(_ text: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: [], debugDescription: text))
        }
        for (entity, form) in zip(entities, form.entities) {
            guard let name = form.superentity else { continue }
            guard let above = entities.first(where: { $0.name == name }) else {
                throw unreadable("entity '\(entity.name)' has the superentity '\(name)', which is not there")
            }
            let chain = sequence(first: above) { $0.superentity }
            if chain.contains(where: { $0 === entity }) {
                throw unreadable("entity '\(entity.name)' is a superentity of its own")
            }
            above.add(entity)
        }
        return entities
    }

    private static func sentence(of error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
                .valueNotFound(_, let context):
                context
            default: nil
            }
        guard let context else { return "\(error)" }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "at \(path): \(context.debugDescription)"
    }
}
