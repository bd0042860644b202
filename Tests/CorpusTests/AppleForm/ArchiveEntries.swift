import Foundation

@testable import CoreData

/// The objects of a model's archive as entries, with every field and every class.
///
/// The order in which the archive lists its objects, and the entries of its dictionaries, is not an entry: Apple's
/// order is that of hash tables in memory.
struct ArchiveEntries {
    private let archive: KeyedArchive
    private var entries = FormEntries()

    static func entries(of data: Data) throws -> FormEntries {
        let archive = try KeyedArchive(data)
        var walk = ArchiveEntries(archive: archive)
        let root = try archive.root()
        for (key, value) in root.fields where key != "$class" { try walk.add(value, at: [.word(key)], expands: true) }
        walk.entries.splitOrdersOfIndexes()
        return walk.entries
    }

    private init(archive: KeyedArchive) { self.archive = archive }

    private mutating func add(_ value: PropertyListValue, at place: [FormPlace], expands: Bool = false) throws {
        guard place.count < 40, let resolved = try archive.resolve(value) else { return entries.add(place, "null") }
        guard case .dictionary = resolved, let object = try archive.object(value) else {
            return entries.add(place, Self.text(resolved))
        }
        if !expands, let name = try Self.reference(to: object) { return entries.add(place, name) }
        if object.className == "_NSPropertyDescriptionProxy", let target = object.fields["NSUnderlyingProperty"] {
            return try add(target, at: place, expands: true)
        }
        if object.className == "NSString" || object.className == "NSMutableString" {
            entries.add(place, try archive.string(value) ?? "")
            return entries.add(place + [.word("class")], object.className)
        }
        entries.add(place, object.className)
        if object.isKind(of: "NSDictionary") {
            try addPairs(of: object, value, at: place)
        } else if object.isKind(of: "NSArray") {
            try addElements(of: value, at: place)
        } else if object.isKind(of: "NSSet") {
            let texts = try archive.elements(value).map { try text(of: $0) }
            entries.add(place + [.word("elements")], texts.sorted().joined(separator: ", "))
        } else {
            // A zero may have any exponent.
            let isZero = object.fields["NS.length"] == .integer(0)
            for (key, field) in object.fields where key != "$class" && !(isZero && key == "NS.exponent") {
                try add(field, at: place + [.word(key)], expands: key == "NSIndexedProperty")
            }
        }
    }

    /// The dictionaries of entities and properties have these objects, and every other place refers to them.
    private mutating func addPairs(
        of object: ArchivedObject, _ value: PropertyListValue, at place: [FormPlace]
    ) throws {
        let expands = [.word("NSEntities"), .word("NSProperties")].contains(place.last)
        for (key, element) in try archive.entries(value) {
            try add(element, at: place + [.name(key)], expands: expands)
        }
        if object.className == "NSKnownKeysDictionary1" {
            for key in ["version", "emptyToken", "searchMapping"] {
                guard let field = object.fields[key] else { continue }
                if let mapping = try? archive.object(field) {
                    entries.add(place + [.word(key)], mapping.className + " \(mapping.fields.keys.sorted())")
                } else {
                    entries.add(place + [.word(key)], try text(of: field))
                }
            }
        }
    }

    /// Fetch indexes are found by their names; their order is an entry of its own.
    private mutating func addElements(of value: PropertyListValue, at place: [FormPlace]) throws {
        let elements = try archive.elements(value)
        var order: [String] = []
        for (index, element) in elements.enumerated() {
            let step: String
            if case .dictionary? = try archive.resolve(element),
                let name = try archive.object(element)?.fields["NSIndexName"]
            {
                step = try archive.string(name) ?? ""
                order.append(step)
            } else {
                step = String(index)
            }
            try add(element, at: place + [.name(step)], expands: true)
        }
        if !order.isEmpty { entries.add(place + [.word("order")], order.joined(separator: ", ")) }
    }

    private func text(of value: PropertyListValue) throws -> String {
        guard let resolved = try archive.resolve(value) else { return "null" }
        guard case .dictionary = resolved, let object = try archive.object(value) else { return Self.text(resolved) }
        return try Self.reference(to: object) ?? archive.string(value) ?? object.className
    }

    private static func reference(to object: ArchivedObject) throws -> String? {
        if object.isKind(of: "NSEntityDescription") { return try "entity " + (object.string("NSEntityName") ?? "") }
        if object.isKind(of: "NSManagedObjectModel") { return "model" }
        if object.isKind(of: "NSPropertyDescription") {
            let entity = try object.object("NSEntity")?.string("NSEntityName") ?? ""
            return try "property \(entity).\(object.string("NSPropertyName") ?? "")"
        }
        if object.isKind(of: "NSFetchIndexDescription") {
            return try "index " + (object.archive.string(object.fields["NSIndexName"]) ?? "")
        }
        return nil
    }

    private static func text(_ value: PropertyListValue) -> String {
        switch value {
        case .null: "null"
        case .boolean(let flag): "Boolean \(flag)"
        case .integer(let number): "integer \(number)"
        case .real(let number): "real \(number)"
        case .date(let seconds): "date \(seconds)"
        case .data(let data): "data \(data.base64EncodedString())"
        case .string(let text): text
        case .reference, .array, .dictionary: "\(value)"
        }
    }
}

extension FormEntries {
    /// Takes the indexes that attributes imply out of the orders of fetch indexes, into orders of their own: Apple's
    /// order of these is that of a hash table.
    fileprivate mutating func splitOrdersOfIndexes() {
        for (place, text) in texts where place.last == .word("order") {
            let entity = Array(place.dropLast(2))
            let names = text.components(separatedBy: ", ")
            let implied = names.filter { texts[entity + [.word("NSProperties"), .name($0)]] != nil }
            guard !implied.isEmpty else { continue }
            add(place, names.map { implied.contains($0) ? "implied" : $0 }.joined(separator: ", "))
            add(place + [.word("implied")], implied.joined(separator: ", "))
        }
    }
}
