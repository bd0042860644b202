import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// The stores and models that classes make, beside those that Apple's SwiftData made of the same classes.
@Suite("Schemas of SwiftData")
struct SwiftDataSchemaTests {
    @Test(
        "A new store has Apple's tables, columns and indexes", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
        arguments: OriginalStore.all)
    func tables(_ original: OriginalStore) throws {
        try withTemporaryFolder { folder in
            let theirs = try Corpus.copyStore(original.path, to: folder)
            let ours = folder.appendingPathComponent("ours.store")
            let schema = original.schema
            let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: ours)))
            #expect(
                try context.managedObjectContext.count(for: NSFetchRequest(entityName: schema.entities[0].name)) == 0)
            #expect(try Self.statements(ours) == Self.statements(theirs))
        }
    }

    /// The statements that made a store's tables and indexes.
    private static func statements(_ url: URL) throws -> [String] {
        try RawDatabase(url).texts("SELECT sql FROM sqlite_master WHERE sql NOTNULL").sorted()
    }

    @Test(
        "The model has Apple's names, types, flags and hashes", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
        arguments: OriginalStore.all)
    func model(_ original: OriginalStore) throws {
        try withTemporaryFolder { folder in
            let url = try Corpus.copyStore(original.path, to: folder)
            let theirs = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            let ours = try ModelBuilder(schema: original.schema).model()
            #expect(ours.entityVersionHashesByName == theirs.entityVersionHashesByName)
            #expect(ours.versionIdentifiers == theirs.versionIdentifiers)
            #expect(ours.configurations == theirs.configurations)
            let (mine, other) = (Self.facts(of: ours), Self.facts(of: theirs))
            #expect(Set(mine).subtracting(other).sorted() == [])
            #expect(Set(other).subtracting(mine).sorted() == [])
        }
    }

    /// What a model says of its entities, without defaults and class names.
    private static func facts(of model: NSManagedObjectModel) -> [String] {
        model.entities.flatMap { entity -> [String] in
            let name = entity.name ?? ""
            let own = ["\(name) \(entity.renamingIdentifier ?? "-") \(entity.userInfo ?? [:])"]
            let indexes = entity.indexes.map { index in
                "\(name) index \(index.name) \(index.elements.map { $0.propertyName ?? "" })"
            }
            return own + indexes + entity.properties.flatMap { facts(of: $0, "\(name).") }
        }
    }

    private static func facts(of property: NSPropertyDescription, _ prefix: String) -> [String] {
        var line =
            "\(prefix)\(property.name) optional \(property.isOptional) transient \(property.isTransient) "
            + "renaming \(property.renamingIdentifier ?? "-")"
        var elements: [String] = []
        if let attribute = property as? NSAttributeDescription {
            // A stand-in has the place of a class of Apple's.
            let valueClass = (attribute.attributeValueClassName ?? "-").replacing("NSColor", with: "Colour")
            line += " \(attribute.attributeType.rawValue) \(valueClass) "
            line += "\(attribute.valueTransformerName ?? "-") \(attribute.allowsExternalBinaryDataStorage)"
        }
        if let relationship = property as? NSRelationshipDescription {
            line +=
                " to \(relationship.destinationEntity?.name ?? "-") \(relationship.minCount) \(relationship.maxCount) "
            line += "\(relationship.deleteRule.rawValue) \(relationship.inverseRelationship?.name ?? "-")"
        }
        if let composite = property as? NSCompositeAttributeDescription {
            elements = composite.elements.flatMap { facts(of: $0, "\(prefix)\(property.name).") }
            let cases = (property.userInfo?["enum"] as? [String]) ?? []
            line += " enumeration \(property.userInfo?["EnumType"] != nil) \(cases)"
        }
        return [line] + elements
    }

    @Test("A class that cannot be stored is an error that names the class and the property")
    func faults() throws {
        func message(_ types: any PersistentModel.Type...) -> String {
            do {
                _ = try ModelContainer(
                    for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
                return "no error"
            } catch SwiftDataError.loadIssueModelContainer {
                return "another error"
            } catch {
                return "\(error)"
            }
        }
        func reason(_ types: any PersistentModel.Type...) -> String {
            do {
                _ = try ModelContainer(
                    for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
                return "no error"
            } catch {
                return "\(error)"
            }
        }
        #expect(message(WithClosure.self) == "another error")
        #expect(reason(WithClosure.self).contains("WithClosure.work"))
        #expect(
            reason(ExpensesV1.Expense.self, ExpensesV2.Expense.self).contains("ExpensesV1.Expense has the same name"))
    }

    @Test("The interface of a schema names entities, attributes and relationships")
    func interface() throws {
        let schema = Schema([Trip.self, BusinessTrip.self])
        #expect(schema.entities.map(\.name) == ["BusinessTrip", "Stop", "Trip"])
        let trip = try #require(schema.entity(for: Trip.self))
        #expect(trip.relationshipsByName["stops"]?.inverseName == "trip")
        #expect(trip.attributesByName["price"]?.originalName == "cost")
        #expect(trip.uniquenessConstraints == [["name", "start"]])
        #expect(trip.indices == [["name"], ["name", "start"]])
        #expect(trip.subentities.map(\.name) == ["BusinessTrip"])
        let business = try #require(schema.entitiesByName["BusinessTrip"])
        #expect(business.superentityName == "Trip")
        #expect(business.storedPropertiesByName.keys.sorted() == ["customer", "hotel"])
        #expect(business.inheritedPropertiesByName["name"]?.valueType == String.self)
        #expect(schema.entity(for: Cocktail.self) == nil)
    }
}
