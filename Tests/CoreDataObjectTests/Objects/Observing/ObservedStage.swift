import Foundation
import Observation
import TestSupport

@testable import CoreData

/// Objects of one context with a tracker on every property, and another context that changes them from outside.
final class ObservedStage {
    let context: NSManagedObjectContext
    let other: NSManagedObjectContext
    let library: Library
    /// The objects by the names that the table uses.
    private(set) var objects: [String: NSManagedObject] = [:]

    /// The library's model with an entity that has a composite attribute, a derived one and a unique one.
    static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let account = NSEntityDescription()
        account.name = "Account"
        func attribute(_ name: String, _ description: NSAttributeDescription) -> NSAttributeDescription {
            description.name = name
            description.attributeType = .stringAttributeType
            description.isOptional = true
            return description
        }
        let derived = NSDerivedAttributeDescription()
        derived.derivationExpression = NSExpression(format: "canonical:(mail)")
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [attribute("city", NSAttributeDescription()), attribute("street", NSAttributeDescription())]
        account.properties = [
            attribute("mail", NSAttributeDescription()), attribute("text", NSAttributeDescription()),
            attribute("folded", derived), address,
        ]
        account.uniquenessConstraints = [["mail"]]
        model.entities += [account]
        return model
    }

    /// Called on the queue of the context.
    init(_ context: NSManagedObjectContext, _ library: Library) throws {
        self.context = context
        self.library = library
        other = library.context()
        other.performAndWait { other.mergePolicy = NSMergePolicy.overwrite }
        let ann = context.make("Author", ["name": "Ann"])
        let bob = context.make("Author", ["name": "Bob"])
        let profile = context.make("Profile", ["text": "p", "author": ann])
        let tag = context.make("Tag", ["name": "t"])
        let shelf = context.make("Shelf", ["name": "s"])
        let one = context.make("Book", ["title": "One", "pages": 1, "author": ann, "keywords": ["k"]])
        let two = context.make("Book", ["title": "Two", "pages": 2, "author": ann])
        shelf.setValue(NSOrderedSet(array: [one, two]), forKey: "items")
        one.setValue(NSSet(array: [tag]), forKey: "tags")
        let account = context.make("Account", ["mail": "A@\(UUID())", "text": "a", "address": ["city": "Rome"]])
        try context.save()
        context.refresh(account, mergeChanges: false)
        objects = [
            "ann": ann, "bob": bob, "profile": profile, "tag": tag, "shelf": shelf, "one": one, "two": two,
            "account": account,
        ]
    }

    subscript(name: String) -> NSManagedObject { objects[name]! }

    /// Also follows an object that a test has made.
    func add(_ object: NSManagedObject, as name: String) { objects[name] = object }

    /// The object of another context for the same row.
    func outside(_ name: String) throws -> NSManagedObject { try other.existingObject(with: self[name].objectID) }

    /// Changes objects in the other context, and saves it.
    func changeOutside(_ body: () throws -> Void) throws {
        try other.performAndWait {
            other.reset()
            try body()
            try other.save()
        }
    }

    // MARK: Trackers

    /// The properties of all objects, as `one.title`.
    var properties: [(label: String, object: NSManagedObject, key: String)] {
        objects.sorted { $0.key < $1.key }.flatMap { name, object in
            (object.entity.propertiesByName.keys.sorted() + ["isDeleted"]).map { ("\(name).\($0)", object, $0) }
        }
    }

    /// What the trackers have seen.
    struct Seen: Sendable {
        /// How often each property fired, by its label.
        var fired: [String: Int] = [:]
        /// What was not as it has to be.
        var faults: [String] = []
    }

    private let seen = Locked(Seen())
    private var before: [String: ObservedText] = [:]

    /// Tracks every property. Each tracker reads anew when it has fired.
    func begin() {
        for (label, object, key) in properties {
            before[label] = ObservedText(object, key)
            track(label, object, key, before[label], seen)
        }
    }

    /// What has fired since the beginning, and what should have.
    func end() -> Seen {
        var result = seen.withLock { $0 }
        for (label, object, key) in properties {
            let differs = before[label] != ObservedText(object, key)
            if differs != (result.fired[label] != nil) {
                result.faults.append("\(label) \(differs ? "differs and did not fire" : "fired and does not differ")")
            }
        }
        return result
    }

    private func track(
        _ label: String, _ object: NSManagedObject, _ key: String, _ former: ObservedText?, _ seen: Locked<Seen>
    ) {
        let held = Held((stage: self, object: object, former: former))
        withObservationTracking {
            _ = object.value(forKey: key)
        } onChange: {
            let (stage, object, former) = held.value
            seen.withLock { $0.fired[label, default: 0] += 1 }
            if !stage.context.isHeldByCaller { seen.withLock { $0.faults.append("\(label): wrong queue") } }
            let shown = ObservedText(object, key)
            if let former, former != shown {
                seen.withLock { $0.faults.append("\(label): shows \(shown), was \(former)") }
            }
            stage.track(label, object, key, nil, seen)
        }
    }
}

/// A value in a form that can be compared: objects by their identity.
struct ObservedText: Hashable, CustomStringConvertible {
    let description: String

    init(_ object: NSManagedObject, _ key: String) {
        func identity(_ value: Any) -> String { "\(ObjectIdentifier(value as AnyObject).hashValue)" }
        switch object.value(forKey: key) {
        case let target as NSManagedObject: description = identity(target)
        case let set as NSOrderedSet: description = set.array.map(identity).joined(separator: " ")
        case let set as NSSet where object.entity.relationshipsByName[key] != nil:
            description = set.allObjects.map(identity).sorted().joined(separator: " ")
        case let values as [String]: description = values.joined(separator: " ")
        case let values as [String: Any]: description = "\(values.sorted { $0.key < $1.key })"
        case let value: description = value.map { "\($0)" } ?? "nil"
        }
    }
}
