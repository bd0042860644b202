import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import MigrationTestKit

@Suite("Made-up objects of a model")
struct SampleStoreTests {
    private func attribute(_ name: String, _ type: NSAttributeType, _ rules: String...) -> NSAttributeDescription {
        let attribute = SampleModels.attribute(name, type)
        attribute.setValidationPredicates(rules.map { NSPredicate(format: $0) }, withValidationWarnings: nil)
        return attribute
    }

    private func model(_ properties: [NSPropertyDescription], unique: [[Any]] = []) -> NSManagedObjectModel {
        let entity = SampleModels.entity("Item")
        entity.properties = properties
        entity.uniquenessConstraints = unique
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    /// Makes a store, and reads an attribute's values in all objects. Returns the maker's report.
    @discardableResult
    private func make(
        _ model: NSManagedObjectModel, rows: Int = 20, _ body: ([NSManagedObject]) throws -> Void
    ) throws -> [String] {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Samples.sqlite")
            let version = ModelVersion("1", model)
            let notes = try SampleStore(rowsPerEntity: rows).fill(url, version)
            try TrialStore.open(url, version.freshModel()) { context in
                for entity in version.model.entities where !entity.isAbstract {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                    request.includesSubentities = false
                    try body(try context.fetch(request))
                }
            }
            return notes
        }
    }

    @Test("unique integers with a minimum and a maximum differ, and where there are too few there are fewer objects")
    func boundedUniqueIntegers() throws {
        let size = attribute("size", .integer16AttributeType, "SELF >= 10", "SELF <= 14")
        size.isOptional = false
        let notes = try make(model([size], unique: [["size"]])) { objects in
            #expect(objects.compactMap { $0.value(forKey: "size") as? Int }.sorted() == [10, 11, 12, 13, 14])
        }
        #expect(notes == ["Item: 5 objects instead of 20, as its uniqueness constraints allow"])
    }

    @Test("a unique integer that may be missing is missing where the values are used up")
    func optionalUnique() throws {
        let size = attribute("size", .integer32AttributeType, "SELF >= 1", "SELF <= 3")
        try make(model([size], unique: [["size"]])) { objects in
            #expect(objects.count == 20)
            #expect(objects.compactMap { $0.value(forKey: "size") as? Int }.sorted() == [1, 2, 3])
        }
    }

    @Test("constraints over several attributes, and over a relationship, are respected")
    func severalAttributes() throws {
        let row = attribute("row", .integer16AttributeType, "SELF >= 1", "SELF <= 4")
        let column = attribute("column", .integer16AttributeType, "SELF BETWEEN {1, 5}")
        let flag = attribute("flag", .booleanAttributeType)
        for attribute in [row, column, flag] { attribute.isOptional = false }
        let board = SampleModels.entity("Board")
        board.properties = [SampleModels.attribute("name", .stringAttributeType)]
        let items = NSRelationshipDescription()
        items.name = "items"
        let home = SampleModels.relationship("home", to: board, maxCount: 1)
        let model = model([row, column, flag, home], unique: [["row", "column"], ["home", "flag"]])
        items.destinationEntity = model.entitiesByName["Item"]
        (items.inverseRelationship, home.inverseRelationship) = (home, items)
        board.properties.append(items)
        model.entities.append(board)
        try make(model) { objects in
            guard objects.first?.entity.name == "Item" else { return }
            #expect(objects.count == 20)
            let places = objects.map { "\($0.value(forKey: "row") ?? "-") \($0.value(forKey: "column") ?? "-")" }
            #expect(Set(places).count == 20)
            let pairs = objects.compactMap { object in
                (object.value(forKey: "home") as? NSManagedObject).map {
                    "\($0.objectID.uriRepresentation()) \(object.value(forKey: "flag") ?? "-")"
                }
            }
            #expect(pairs.count > 10 && Set(pairs).count == pairs.count)
        }
    }

    @Test("regular expressions, lengths, beginnings and lists are respected, also where values must be unique")
    func texts() throws {
        let rules = [
            "code": ["SELF MATCHES '[A-Z]{2}-\\\\d{4}'"],
            "mail": ["SELF MATCHES '\\\\A[^@]+@([^@\\\\.]+\\\\.)+[^@\\\\.]+\\\\z'"],
            "choice": ["SELF MATCHES '(red|green|blue)'"], "short": ["length <= 3"], "long": ["length >= 45"],
            "exact": ["length == 8"], "begun": ["SELF BEGINSWITH 'x-'", "length <= 6"],
            "wild": ["SELF LIKE 'a*z?'"], "listed": ["SELF IN {'one', 'two'}"],
            "optional": ["SELF MATCHES '\\\\w+( \\\\w+)?'"],
        ]
        let attributes = rules.sorted { $0.key < $1.key }.map { name, rules in
            let attribute = SampleModels.attribute(name, .stringAttributeType)
            attribute.isOptional = false
            attribute.setValidationPredicates(rules.map { NSPredicate(format: $0) }, withValidationWarnings: nil)
            return attribute
        }
        let unique = ["code", "mail", "short", "long", "exact", "begun", "wild", "optional"]
        try make(model(attributes, unique: unique.map { [$0] })) { objects in
            #expect(objects.count == 20)
            for attribute in attributes {
                let texts = objects.compactMap { $0.value(forKey: attribute.name) as? String }
                #expect(texts.count == 20, "\(attribute.name)")
                for text in texts {
                    #expect(
                        attribute.validationPredicates.allSatisfy { $0.evaluate(with: text) },
                        "\(attribute.name) \(text)")
                }
                if unique.contains(attribute.name) { #expect(Set(texts).count == 20, "\(attribute.name)") }
            }
        }
    }

    @Test("limits of numbers and dates are respected")
    func limits() throws {
        let attributes = [
            attribute("low", .integer16AttributeType, "SELF >= -12", "SELF <= -11"),
            attribute("below", .integer64AttributeType, "SELF < 0"),
            attribute("real", .doubleAttributeType, "SELF > 0", "SELF < 0.001"),
            attribute("float", .floatAttributeType, "SELF >= -4.5", "SELF <= -3.5"),
            attribute("price", .decimalAttributeType, "SELF >= 0.01", "SELF <= 0.02"),
            attribute("same", .decimalAttributeType, "SELF >= 5", "SELF <= 5"),
            attribute("yes", .booleanAttributeType, "SELF == YES"),
        ]
        let date = SampleModels.attribute("date", .dateAttributeType)
        let end = Date(timeIntervalSinceReferenceDate: 0)
        date.setValidationPredicates(
            [NSPredicate(format: "SELF >= %@ AND SELF <= %@", end, end)], withValidationWarnings: nil)
        for attribute in attributes + [date] { attribute.isOptional = false }
        try make(model(attributes + [date])) { objects in #expect(objects.count == 20) }
    }

    @Test("a mandatory attribute whose rules allow nothing is named, an optional one stays empty and is named")
    func impossible() throws {
        let name = attribute("name", .stringAttributeType, "SELF == 'a' AND SELF == 'b'")
        let notes = try make(model([name])) { objects in
            #expect(objects.allSatisfy { $0.value(forKey: "name") == nil })
        }
        #expect(notes.count == 1 && notes[0].hasPrefix("Item.name is empty: no made-up value satisfies"), "\(notes)")
        name.isOptional = false
        let error = #expect(throws: NSError.self) { try make(model([name])) { _ in } }
        #expect(error?.localizedDescription.hasPrefix("Item.name cannot be filled: no made-up value satisfies") == true)
    }

    @Test("a transformable attribute whose transformer is not registered gets a value, and the report says so")
    func unregisteredTransformer() throws {
        for isOptional in [true, false] {
            func colored() -> NSManagedObjectModel {
                let color = SampleModels.attribute("color", .transformableAttributeType)
                color.valueTransformerName = "NoSuchTransformer"
                color.attributeValueClassName = "UIColor"
                color.isOptional = isOptional
                return model([color])
            }
            let notes = try make(colored()) { objects in
                #expect(objects.contains { $0.value(forKey: "color") is NSArray })
            }
            #expect(notes.count == 1 && notes[0].contains("Item.color, transformer “NoSuchTransformer”"), "\(notes)")
            let versions = [ModelVersion("1", colored()), ModelVersion("2", colored())]
            versions[1].model.entitiesByName["Item"]?.versionHashModifier = "x"
            let entry = try MigrationTrial(versions).hop(versions[0], versions[1])
            #expect(entry.isGood, "\(entry)")
        }
    }

    /// Takes texts only, and ends the process for anything else, as transformers do.
    private final class ShoutingTransformer: ValueTransformer, @unchecked Sendable {
        override func transformedValue(_ value: Any?) -> Any? {
            guard let text = value as? String else { fatalError("Not a text: \(value ?? "nil")") }
            return Data(text.utf8)
        }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0, as: UTF8.self) as NSString }
        }
    }

    @Test("a registered transformer gets only values of the class that the model names")
    func registeredTransformer() throws {
        let name = NSValueTransformerName("MigrationTestKitShouting")
        ValueTransformer.setValueTransformer(ShoutingTransformer(), forName: name)
        defer { ValueTransformer.setValueTransformer(nil, forName: name) }
        let shout = SampleModels.attribute("shout", .transformableAttributeType)
        shout.valueTransformerName = name.rawValue
        shout.attributeValueClassName = "NSString"
        try make(model([shout])) { objects in #expect(objects.contains { $0.value(forKey: "shout") is String }) }
        shout.attributeValueClassName = "NSColor"
        let notes = try make(model([shout])) { _ in }
        #expect(notes.count == 1 && notes[0].contains("“MigrationTestKitShouting”"), "\(notes)")
    }

    @Test("every kind of property has a value in one object, with one object of each entity and with many")
    func everyProperty() throws {
        for model in [SampleModels.library(), RegistryModel.make(), ParcelModel.make()] {
            for rows in [1, 2, 7, 12] { try Self.expectEveryProperty(ModelVersion("1", model), rows) }
        }
    }

    /// Makes a store, and finds properties that no object has and that the maker does not name.
    static func expectEveryProperty(_ version: ModelVersion, _ rows: Int, _ path: String = "") throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Samples.sqlite")
            let notes = try SampleStore(rowsPerEntity: rows).fill(url, version)
            let content = try TrialContent(of: url, version)
            // Values that a subentity's object has inherited count as well.
            func objects(_ entity: NSEntityDescription) -> [TrialContent.Object] {
                (content.objects[entity.name ?? ""] ?? []) + entity.subentities.flatMap(objects)
            }
            for entity in version.model.entities {
                let (all, place) = (objects(entity), "\(path) \(version.name): \(entity.name ?? "")")
                if !entity.isAbstract { #expect(content.counts[entity.name ?? ""] ?? 0 > 0, "\(place)") }
                if all.isEmpty { continue }
                for property in entity.properties
                where property.entity.name == entity.name && !property.isTransient {
                    let isThere: Bool
                    switch property {
                    case is NSDerivedAttributeDescription, is NSFetchedPropertyDescription: continue
                    case is NSAttributeDescription: isThere = all.contains { $0.values[property.name] != nil }
                    default: isThere = all.contains { $0.links[property.name]?.isEmpty == false }
                    }
                    let name = "\(entity.name ?? "").\(property.name)"
                    #expect(
                        isThere || notes.contains { $0.hasPrefix("\(name) ") },
                        "\(place).\(property.name), \(rows) rows")
                }
            }
        }
    }

    @Test("mandatory and counted relationships of every cardinality are filled")
    func mandatoryLinks() throws {
        let text = """
            entity Team
              name string
              players ordered! Player.team
              captain one! Captain.team
            entity Player
              name string
              team one! Team.players
            entity Captain
              team one! Team.captain
            entity Person
              groups many! Group.persons
              spouse one Person.spouse
              parent one Person.children
              children many Person.parent
            entity Group
              persons many! Person.groups
            """
        let model = ModelText.model(text)
        model.entitiesByName["Team"]?.relationshipsByName["players"]?.minCount = 3
        model.entitiesByName["Group"]?.relationshipsByName["persons"]?.minCount = 2
        for rows in [1, 3, 12] { try make(model, rows: rows) { objects in #expect(objects.count >= rows) } }
        try make(model, rows: 0) { objects in #expect(objects.isEmpty) }
    }

    @Test("objects are added to a store that has some, without breaking its constraints")
    func added() throws {
        try withTemporaryFolder { folder in
            let size = attribute("size", .integer16AttributeType, "SELF >= 1", "SELF <= 50")
            size.isOptional = false
            let version = ModelVersion(
                "1", model([size, SampleModels.attribute("name", .stringAttributeType)], unique: [["size"], ["name"]]))
            let url = folder.appendingPathComponent("Samples.sqlite")
            for _ in 0..<2 { try SampleStore().make(at: url, version) }
            #expect(try TrialContent(of: url, version).counts == ["Item": 40])
        }
    }
}
