import CoreData
import Foundation
import TestSupport

@testable import CoreData

/// A new store that is made with the settings of one of Apple's: with history and triggers where that one has them.
struct NewStoreOfCorpus {
    private let keepsHistory: Bool
    private let hasChanges: Bool
    private let hasTriggers: Bool

    init(like apple: FormEntries) {
        keepsHistory = apple.texts.keys.contains([.word("table"), .name("ACHANGE")])
        hasChanges = apple.texts.keys.contains([.word("ACHANGE"), .word("Z_ENT")])
        hasTriggers = apple.texts.keys.contains([.word("order of creation"), .word("trigger")])
    }

    func entries(of model: NSManagedObjectModel) throws -> FormEntries {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("New.sqlite")
            var options: [AnyHashable: Any] = [:]
            if keepsHistory { options[NSPersistentHistoryTrackingKey] = true }
            if hasTriggers { options[NSSQLiteDerivedAttributeTriggersOption] = true }
            try withStore(url, model, options: options) { context in
                if hasChanges { try makeChanges(in: context) }
            }
            return try StoreEntries.entries(of: url)
        }
    }

    /// Inserts an object and changes it, so that history has a transaction of each.
    private func makeChanges(in context: NSManagedObjectContext) throws {
        let model = context.persistentStoreCoordinator?.managedObjectModel
        for entity in (model?.entities ?? []).sorted(by: { $0.name ?? "" < $1.name ?? "" })
        where !entity.isAbstract
            && entity.relationshipsByName.values.allSatisfy({ $0.isOptional || $0.isToMany && $0.minCount == 0 })
        {
            let attributes = entity.attributesByName.values.filter { !($0 is NSDerivedAttributeDescription) }
            guard let changed = attributes.first(where: { $0.attributeType == .stringAttributeType }) else { continue }
            let object = NSManagedObject(entity: entity, insertInto: context)
            for attribute in attributes where !attribute.isOptional {
                object.setValue(Self.value(of: attribute), forKey: attribute.name)
            }
            guard (try? context.save()) != nil else {
                context.rollback()
                continue
            }
            object.setValue("changed", forKey: changed.name)
            if (try? context.save()) != nil { return }
            context.rollback()
        }
    }

    private static func value(of attribute: NSAttributeDescription) -> Any? {
        if let composite = attribute as? NSCompositeAttributeDescription {
            return Dictionary(
                composite.elements.compactMap { element in value(of: element).map { (element.name, $0) } }
            ) { first, _ in first }
        }
        switch attribute.attributeType {
        case .stringAttributeType: return "text"
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: 0)
        case .UUIDAttributeType: return UUID()
        case .URIAttributeType: return URL(string: "https://example.org")
        case .binaryDataAttributeType: return Data([1])
        case .transformableAttributeType: return ["text"] as NSArray
        case .decimalAttributeType: return NSDecimalNumber(value: 1)
        default: return 1 as NSNumber
        }
    }
}
