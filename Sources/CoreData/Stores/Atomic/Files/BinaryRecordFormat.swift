import Foundation

/// The file of a store of type `NSBinaryStoreType`: a format of this framework, because Apple's is not documented.
///
/// A binary property list. Its root is a dictionary:
///
/// - `OpenCoreDataBinaryStore`: 1, the version of the format;
/// - `metadata`: the bytes of a property list, the store's metadata with type and UUID;
/// - `highestNumber`: the highest number ever given to a record;
/// - `entities`: by entity name, a dictionary of `attributes` and `relationships` (lists of names), `numbers` (one per
///   record), `values` (per record a list as long as `attributes`: integer, real, text, data, or null for none) and
///   `links` (per record a list as long as `relationships`, of lists of numbers).
///
/// Dates are seconds since 2001, UUIDs, URLs and decimals texts, transformable values the results of their
/// transformers.
enum BinaryRecordFormat: RecordFormat {
    static var storeType: String { NSBinaryStoreType }

    private enum Key {
        static let version = "OpenCoreDataBinaryStore"
        static let metadata = "metadata"
        static let highestNumber = "highestNumber"
        static let entities = "entities"
        static let attributes = "attributes"
        static let relationships = "relationships"
        static let numbers = "numbers"
        static let values = "values"
        static let links = "links"
    }

    // MARK: Reading

    static func read(_ data: Data) throws -> RecordFile {
        let root = try root(of: data)
        var file = RecordFile()
        file.metadata = try metadata(in: root)
        file.highestNumber = Int(root[Key.highestNumber]?.integerValue ?? 0)
        guard case .dictionary(let entities)? = root[Key.entities] else { throw archiveError("it has no entities") }
        for (name, content) in entities {
            guard case .dictionary(let table) = content else { throw damaged(name) }
            file.records += try records(of: name, table)
        }
        return file
    }

    private static func root(of data: Data) throws -> [String: PropertyListValue] {
        guard case .dictionary(let root) = try BinaryPropertyListReader.read(data),
            let version = root[Key.version]?.integerValue
        else { throw archiveError("the file is of another format; Apple's binary stores cannot be read") }
        guard version == 1 else { throw archiveError("the file is of version \(version) of the format") }
        return root
    }

    private static func metadata(in root: [String: PropertyListValue]) throws -> [String: Any] {
        guard case .data(let data)? = root[Key.metadata],
            let list = MetadataList.dictionary(from: data)
        else { throw archiveError("its metadata cannot be read") }
        return list
    }

    private static func damaged(_ entity: String) -> NSError {
        archiveError("the records of the entity “\(entity)” are damaged")
    }

    private static func records(
        of entity: String, _ table: [String: PropertyListValue]
    ) throws -> [RecordFile.Record] {
        func list(_ key: String) throws -> [PropertyListValue] {
            guard case .array(let elements)? = table[key] else { throw damaged(entity) }
            return elements
        }
        func names(_ key: String) throws -> [String] {
            try list(key).map { element in
                guard case .string(let name) = element else { throw damaged(entity) }
                return name
            }
        }
        func numbers(_ elements: [PropertyListValue]) throws -> [Int] {
            try elements.map { element in
                guard let number = element.integerValue, number > 0 else { throw damaged(entity) }
                return Int(number)
            }
        }
        let (attributes, relationships) = (try names(Key.attributes), try names(Key.relationships))
        let (values, links) = (try list(Key.values), try list(Key.links))
        let found = try numbers(list(Key.numbers))
        guard values.count == found.count, links.count == found.count else { throw damaged(entity) }
        return try found.enumerated().map { index, number in
            guard case .array(let row) = values[index], case .array(let targets) = links[index],
                row.count == attributes.count, targets.count == relationships.count
            else { throw damaged(entity) }
            var record = RecordFile.Record(entity: entity, number: number)
            for (name, value) in zip(attributes, row) { record.values[name] = try fileValue(value, entity) }
            for (name, target) in zip(relationships, targets) {
                guard case .array(let members) = target else { throw damaged(entity) }
                record.links[name] = try numbers(members)
            }
            return record
        }
    }

    private static func fileValue(_ value: PropertyListValue, _ entity: String) throws -> FileValue? {
        switch value {
        case .null: nil
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .string(let text): .text(text)
        case .data(let data): .data(data)
        case .boolean, .date, .reference, .array, .dictionary: throw damaged(entity)
        }
    }

    // MARK: Writing

    static func write(_ file: RecordFile, model: ModelLayout?) throws -> Data {
        var entities: [String: PropertyListValue] = [:]
        for (entity, records) in Dictionary(grouping: file.records, by: \.entity) {
            let attributes = Set(records.flatMap(\.values.keys)).sorted()
            let relationships = Set(records.flatMap(\.links.keys)).sorted()
            entities[entity] = .dictionary([
                Key.attributes: .array(attributes.map { .string($0) }),
                Key.relationships: .array(relationships.map { .string($0) }),
                Key.numbers: .array(records.map { .integer(Int64($0.number)) }),
                Key.values: .array(
                    records.map { record in .array(attributes.map { listValue(record.values[$0]) }) }),
                Key.links: .array(
                    records.map { record in
                        .array(relationships.map { .array((record.links[$0] ?? []).map { .integer(Int64($0)) }) })
                    }),
            ])
        }
        return BinaryPropertyListWriter.write(
            .dictionary([
                Key.version: .integer(1), Key.metadata: .data(try MetadataList.data(of: file.metadata, .binary)),
                Key.highestNumber: .integer(Int64(file.highestNumber)), Key.entities: .dictionary(entities),
            ]))
    }

    static func replacingMetadata(_ metadata: [String: Any], in data: Data) throws -> Data {
        var root = try root(of: data)
        root[Key.metadata] = .data(try MetadataList.data(of: metadata, .binary))
        return BinaryPropertyListWriter.write(.dictionary(root))
    }

    private static func listValue(_ value: FileValue?) -> PropertyListValue {
        switch value {
        case nil: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .string(text)
        case .data(let data): .data(data)
        }
    }
}
