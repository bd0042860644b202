import Foundation

/// The file of a store of type `NSXMLStoreType`: the format of Apple's XML stores.
///
/// Entities are spelled in upper case and properties in lower case, unless names differ in case only. Apple's names for
/// the types of UUIDs, URLs and transformable values are not known. `UUID`, `URI` and `transformable` are this
/// framework's, and elements of composite attributes are attributes under their key path.
enum XMLRecordFormat: RecordFormat {
    static var storeType: String { NSXMLStoreType }

    static func spelling(ofEntity name: String) -> String { name.uppercased() }
    static func spelling(ofProperty name: String) -> String { name.lowercased() }

    /// The version of the format in Apple's files.
    private static let formatVersion = 134_481_920
    /// The number of the first object in Apple's files is 102.
    static var lastReservedNumber: Int { 101 }

    // MARK: Reading

    static func read(_ data: Data) throws -> RecordFile {
        let root: XMLTreeElement
        do {
            root = try XMLTreeElement.parse(data)
        } catch {
            throw archiveError("line \(error.line): \(error.reason)")
        }
        guard root.name == "database", let info = root.child("databaseInfo") else {
            throw archiveError(
                "line \(root.line): the root element is <\(root.name)>, not <database> with its information")
        }
        var file = RecordFile()
        if let metadata = info.child("metadata")?.child("plist")?.children.first {
            file.metadata = try XMLPropertyList.value(of: metadata) as? [String: Any] ?? [:]
        }
        file.metadata[NSStoreTypeKey] = storeType
        file.metadata[NSStoreUUIDKey] = info.child("UUID")?.text.trimmingCharacters(in: .whitespacesAndNewlines)
        file.highestNumber = max(Int(info.child("nextObjectID")?.text ?? "") ?? 0, lastReservedNumber)
        file.records = try root.children.filter { $0.name == "object" }.map(record)
        return file
    }

    private static func record(_ element: XMLTreeElement) throws -> RecordFile.Record {
        guard let entity = element.attributes["type"], let number = number(element.attributes["id"]) else {
            throw archiveError("line \(element.line): an object needs a type and an id such as z102")
        }
        var record = RecordFile.Record(entity: entity, number: number)
        for child in element.children {
            guard let name = child.attributes["name"] else {
                throw archiveError("line \(child.line): a <\(child.name)> needs a name")
            }
            switch child.name {
            case "attribute": record.values[name] = try value(child, name)
            case "relationship":
                record.links[name] = try (child.attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map {
                    if let number = Self.number(String($0)) { return number }
                    throw archiveError("line \(child.line): “\($0)” is no id")
                }
            default: throw archiveError("line \(child.line): an object has no <\(child.name)>")
            }
        }
        return record
    }

    private static func number(_ id: String?) -> Int? {
        guard let id, id.first == "z", let number = Int(id.dropFirst()), number > 0 else { return nil }
        return number
    }

    private static func value(_ element: XMLTreeElement, _ name: String) throws -> FileValue {
        let (type, text) = (element.attributes["type"] ?? "string", element.text)
        let value: FileValue?
        switch type.lowercased() {
        case "int16", "int32", "int64", "bool":
            value = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)).map { .integer($0) }
        case "float", "double", "date":
            value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)).map { .real($0) }
        case "binary", "transformable":
            value = Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .data($0) }
        case "string", "decimal", "uuid", "uri": value = .text(text)
        default: throw archiveError("line \(element.line): “\(name)” has the unknown type “\(type)”")
        }
        if let value { return value }
        throw archiveError("line \(element.line): the value of “\(name)” is no \(type)")
    }

    // MARK: Writing

    static func write(_ file: RecordFile, model: ModelLayout?) throws -> Data {
        var entities: [String: EntityLayout] = [:]
        let spelling = RecordSpelling(Self.self, model)
        for layout in model?.entities ?? [] { entities[spelling.entity(layout.name)] = layout }
        var text = head
        text += try information(file.metadata, highestNumber: max(file.highestNumber, lastReservedNumber))
        for record in file.records {
            guard let layout = entities[record.entity] else { continue }
            text += "    <object type=\"\(try escapedName(record.entity))\" id=\"z\(record.number)\">\n"
            for slot in layout.slots where slot.isPersistent {
                let name = spelling.property(slot.name, of: layout.name)
                guard case .attribute(let attribute) = slot.role, let value = record.values[name] else { continue }
                text += "        <attribute name=\"\(try escapedName(name))\" "
                text += "type=\"\(typeName(attribute.attributeType))\">"
                text += try content(value, of: slot.name, layout.name) + "</attribute>\n"
            }
            let relationships = layout.entity.relationshipsByName
            for (name, relationship) in relationships.sorted(by: { $0.key < $1.key }) where !relationship.isTransient {
                let name = spelling.property(name, of: layout.name)
                let destination = spelling.entity(relationship.destinationEntity?.name ?? "")
                text += try element(
                    relationship, name: name, destination: destination, numbers: record.links[name] ?? [])
            }
            text += "    </object>\n"
        }
        return Data((text + "</database>\n").utf8)
    }

    static func replacingMetadata(_ metadata: [String: Any], in data: Data) throws -> Data {
        let file = try read(data)
        guard let text = String(data: data, encoding: .utf8), let start = text.range(of: "<databaseInfo>"),
            let end = text.range(of: "</databaseInfo>")
        else { throw archiveError("the file is not in UTF-8, so only a program that opens it can change it") }
        let information = try information(metadata, highestNumber: file.highestNumber)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return Data(text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: information).utf8)
    }

    private static let head = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>

        """

    private static func information(_ metadata: [String: Any], highestNumber: Int) throws -> String {
        var list = metadata
        let identifier = list.removeValue(forKey: NSStoreUUIDKey) as? String ?? UUID().uuidString
        list[NSStoreTypeKey] = nil
        return """
                <databaseInfo>
                    <version>\(formatVersion)</version>
                    <UUID>\(escaped(identifier))</UUID>
                    <nextObjectID>\(highestNumber)</nextObjectID>
                    <metadata>
                        \(try XMLPropertyList.text(of: list))
                    </metadata>
                </databaseInfo>

            """
    }

    private static func element(
        _ relationship: NSRelationshipDescription, name: String, destination: String, numbers: [Int]
    ) throws -> String {
        var text =
            "        <relationship name=\"\(try escapedName(name))\" type=\"\(relationship.minCount)/\(relationship.maxCount)\" "
        text += "destination=\"\(try escapedName(destination))\""
        if !numbers.isEmpty { text += " idrefs=\"\(numbers.map { "z\($0)" }.joined(separator: " "))\"" }
        return text + "></relationship>\n"
    }

    private static func typeName(_ type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "int16"
        case .integer32AttributeType: "int32"
        case .integer64AttributeType: "int64"
        case .booleanAttributeType: "bool"
        case .floatAttributeType: "float"
        case .doubleAttributeType: "double"
        case .decimalAttributeType: "decimal"
        case .dateAttributeType: "date"
        case .binaryDataAttributeType: "binary"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "transformable"
        default: "string"
        }
    }

    private static func content(_ value: FileValue, of property: String, _ entity: String) throws -> String {
        switch value {
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .data(let data): return data.base64EncodedString(options: .lineLength64Characters)
        case .text(let text):
            if isWritable(text) { return escaped(text) }
            throw unwritable("The value of '\(property)' of the entity '\(entity)'")
        }
    }

    /// Whether XML can represent a text. It cannot represent some characters at all.
    private static func isWritable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
                || "\t\n\r".unicodeScalars.contains(scalar)
        }
    }

    private static func unwritable(_ subject: String) -> NSError {
        NSError.coreData(
            NSPersistentStoreSaveError, reason: "\(subject) has a control character, which XML cannot hold")
    }

    /// Escapes a name in an XML attribute, because a reader would replace white space by blanks.
    private static func escapedName(_ name: String) throws -> String {
        guard isWritable(name) else { throw unwritable("The name '\(name)' of an entity or a property") }
        return escaped(name).replacing("\n", with: "&#10;").replacing("\t", with: "&#9;")
    }

    static func escaped(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            // A reader would read it as the end of a line.
            case "\r": "&#13;"
            default: nil
            }
        }
    }
}
