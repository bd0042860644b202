import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

private typealias NSExpression = CoreData.NSExpression

/// A class with methods of all shapes that validation calls. The plugin does not see this target, so the list below is
/// written by hand, as the plugin would write it.
class Subscriber: NSManagedObject {
    func validateMail(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if value.pointee as? String == "wrong" { throw CocoaError(.validationStringPatternMatching) }
    }
    func validateAge(_ value: inout Int?) throws {
        if let age = value, age > 100 { value = 100 }
    }
    func validateName(_ value: UnsafeMutablePointer<Any?>) throws {
        value.pointee = (value.pointee as? String)?.trimmingCharacters(in: .whitespaces)
    }
    func validateBorn(_ value: AutoreleasingUnsafeMutablePointer<NSDate?>) throws {
        if value.pointee == nil { value.pointee = NSDate(timeIntervalSinceReferenceDate: 7) }
    }
    func validateNote(_ value: Any?) throws {
        if value == nil { throw CocoaError(.validationMissingMandatoryProperty) }
    }
    var title: String { "Mx \(value(forKey: "name") ?? "")" }
    var years: Int {
        get { (value(forKey: "age") as? Int ?? 0) + 1 }
        set { setValue(newValue - 1, forKey: "age") }
    }
    func isYoung() -> Bool { years < 20 }
    func getLetter() -> String? { nil }
}

final class Patron: Subscriber {
    override func validateMail(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if value.pointee == nil { throw CocoaError(.validationMissingMandatoryProperty) }
    }
    func validateAge(_ value: Any?) throws { throw CocoaError(.validationNumberTooSmall) }
    override var title: String { "Patron" }
}

final class JoiningPolicy: NSEntityMigrationPolicy {
    func join(_ one: String?, with other: String) -> String { (one ?? "-") + other }
    func year() -> Int { 2026 }
    func skip(_ number: Int) {}
}

final class CoreDataNamedMethods: NamedMethodList {
    static var methods: [NamedMethod] {
        [
            NamedMethod(of: Subscriber.self, "validateMail:error:") { object, values in
                try values.pointing { try object.validateMail($0) }
                return nil
            },
            NamedMethod(of: Subscriber.self, "validateAge:error:") { object, values in
                try values.changing { try object.validateAge(&$0) }
                return nil
            },
            NamedMethod(of: Subscriber.self, "validateName:error:") { object, values in
                try values.changing { try object.validateName(&$0) }
                return nil
            },
            NamedMethod(of: Subscriber.self, "validateBorn:error:") { object, values in
                try values.pointing { try object.validateBorn($0) }
                return nil
            },
            NamedMethod(of: Subscriber.self, "validateNote:error:") { object, values in
                try object.validateNote(values(0))
                return nil
            },
            NamedMethod(of: Patron.self, "validateAge:error:") { object, values in
                let value: Any? = try values(0)
                try object.validateAge(value)
                return nil
            },
            NamedMethod(of: Subscriber.self, "title") { object, _ in object.title },
            NamedMethod(of: Subscriber.self, "years") { object, _ in object.years },
            NamedMethod(of: Subscriber.self, "setYears:") { object, values in
                object.years = try values(0)
                return nil
            },
            NamedMethod(of: Subscriber.self, "isYoung") { object, _ in object.isYoung() },
            NamedMethod(of: Subscriber.self, "getLetter") { object, _ in object.getLetter() },
            NamedMethod(of: JoiningPolicy.self, "join:with:") { object, values in
                try object.join(values(0), with: values(1))
            },
            NamedMethod(of: JoiningPolicy.self, "year") { object, _ in object.year() },
            NamedMethod(of: JoiningPolicy.self, "skip:") { object, values in
                object.skip(try values(0))
                return nil
            },
        ]
    }
}

@Suite("Methods that are called by their names", .leavesNothingBehind)
struct NamedMethodTests {
    /// A context with one new object of each entity: `Subscriber`, `Patron` and `Plain`.
    private func withObjects(
        _ body: (NSManagedObjectContext, _ subscriber: NSManagedObject, _ patron: NSManagedObject) throws -> Void
    ) throws {
        let attributes = "  name string\n  mail string\n  age int16\n  born date\n  note string"
        let model = ModelText.model("entity Subscriber\n\(attributes)\nentity Patron\n\(attributes)")
        let classes: [String: NSManagedObject.Type] = ["Subscriber": Subscriber.self, "Patron": Patron.self]
        for (name, type) in classes {
            model.entitiesByName[name]?.managedObjectClassName = NSStringFromClass(type)
        }
        let context = try Library(model: model).context()
        try context.performAndWait {
            let values: [String: Any] = ["name": "Ann", "mail": "a@b", "age": 5, "note": "x", "born": Date()]
            try body(context, context.make("Subscriber", values), context.make("Patron", values))
        }
    }

    private func codes(of object: NSManagedObject, _ check: (NSManagedObject) throws -> Void) -> [Int] {
        do {
            try check(object)
            return []
        } catch {
            let details = (error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError]
            return (details ?? [error as NSError]).map(\.code).sorted()
        }
    }

    @Test("A save calls them for each property, takes what they replace, and gathers their errors with the model's")
    func validation() throws {
        try withObjects { context, subscriber, patron in
            context.delete(patron)
            for (key, value) in ["mail": "wrong", "age": 70_000, "note": nil] as [String: Any?] {
                subscriber.setValue(value, forKey: key)
            }
            #expect(
                codes(of: subscriber) { _ in try context.save() } == [
                    NSValidationMissingMandatoryPropertyError, NSValidationNumberTooLargeError,
                    NSValidationStringPatternMatchingError,
                ])
            let replaced: [String: Any?] = ["mail": nil, "age": 1_000, "note": "y", "name": " Bo ", "born": nil]
            for (key, value) in replaced { subscriber.setValue(value, forKey: key) }
            try context.save()
            #expect(
                subscriber.committedValues(forKeys: ["age", "name"]) as NSDictionary == ["age": 100, "name": "Bo"])
            #expect(subscriber.value(forKey: "born") as? Date == Date(timeIntervalSinceReferenceDate: 7))
            // A value that is replaced by an equal one does not count as changed.
            subscriber.setValue("z", forKey: "note")
            try subscriber.validateForUpdate()
            #expect(Array(subscriber.changedValues().keys) == ["note"])
        }
    }

    @Test("A subclass has the methods of its superclass, overrides and overloads of the name come first")
    func subclasses() throws {
        try withObjects { _, subscriber, patron in
            patron.setValue(nil, forKey: "mail")
            let values = [subscriber, patron].map { object in
                ["mail", "age", "note", "name"].map { key in
                    codes(of: object) { object in
                        var value = object.value(forKey: key).map { $0 as AnyObject }
                        try object.validateValue(&value, forKey: key)
                    }
                }
            }
            #expect(
                values == [
                    [[], [], [], []],
                    [[NSValidationMissingMandatoryPropertyError], [NSValidationNumberTooSmallError], [], []],
                ])
            #expect([subscriber, patron].map { $0.value(forKey: "title") as? String } == ["Mx Ann", "Patron"])
        }
    }

    @Test("Keys that are no properties are read and set by them, with the classes of key-value coding")
    func keys() throws {
        try withObjects { _, subscriber, _ in
            subscriber.setValue(31, forKey: "years")
            let keys = ["years", "isYoung", "young", "title", "letter"]
            #expect(
                subscriber.dictionaryWithValues(forKeys: keys) as NSDictionary == [
                    "years": 31, "isYoung": false, "young": false, "title": "Mx Ann", "letter": NSNull(),
                ])
            #expect(subscriber.value(forKey: "years") is NSNumber && subscriber.value(forKey: "age") as? Int == 30)
            #expect(NSPredicate(format: "years > 30 AND young == NO").evaluate(with: subscriber))
            #expect(
                NSExpression(format: "FUNCTION(SELF, 'title')").expressionValue(with: subscriber, context: nil)
                    as? String == "Mx Ann")
        }
    }

    @Test("A policy's functions are called by the names of Objective-C; all other names are unknown")
    func functions() throws {
        let policy = JoiningPolicy()
        func call(_ name: String, _ arguments: Any?...) -> String {
            do {
                return try policy.performFunction(name, arguments: arguments).map { "\($0)" } ?? "nil"
            } catch {
                return error is UnfitArgument ? "\(error)" : "\((error as NSError).code)"
            }
        }
        #expect(
            [
                call("join:with:", nil, "b"), call("join:with:", "a" as NSString, "b"), call("year"),
                call("skip:", NSNumber(value: 1)), call("join:with:", "a", nil), call("join:"),
            ] == [
                "-b", "ab", "2026", "nil", "Argument 2 is of the type nil and not String.",
                "\(NSEntityMigrationPolicyError)",
            ])
    }

    @Test("Classes without such methods are asked about nothing")
    func others() {
        let classes: [AnyClass] = [Subscriber.self, Patron.self, QuietPerson.self, NSManagedObject.self]
        #expect(classes.map { NamedMethods.validates($0) } == [true, true, false, false])
    }
}
