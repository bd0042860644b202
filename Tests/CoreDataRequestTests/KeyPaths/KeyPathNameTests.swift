import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Names of key paths", .leavesNothingBehind)
struct KeyPathNameTests {
    @Test("Every accessor by slot is named, for any type")
    func attributes() {
        let paths: [AnyKeyPath] = [
            \KeyPathPerson.name, \KeyPathPerson.nickname, \KeyPathPerson.age, \KeyPathPerson.score,
            \KeyPathPerson.isActive, \KeyPathPerson.born, \KeyPathPerson.home, \KeyPathPerson.identifier,
            \KeyPathPerson.money, \KeyPathPerson.rank, \KeyPathPerson.mood, \KeyPathPerson.number,
            \KeyPathTeam.members, \KeyPathPerson.objectID, \KeyPathPerson.self,
        ]
        #expect(
            paths.map(\.managedKeyPath) == [
                "name", "nickname", "age", "score", "isActive", "born", "home", "identifier", "money", "rank", "mood",
                "age", "members", "objectID", "self",
            ])
    }

    @Test("Paths go through to-one relationships, optional or not")
    func chains() {
        #expect((\KeyPathPerson.team).managedKeyPath == "team")
        #expect((\KeyPathPerson.team?.name).managedKeyPath == "team.name")
        #expect((\KeyPathPerson.team!.name).managedKeyPath == "team.name")
        #expect((\KeyPathTeam.captain.team?.captain.nickname).managedKeyPath == "captain.team.captain.nickname")
        #expect((\KeyPathPerson.team?.members).managedKeyPath == "team.members")
        #expect((\KeyPathPerson.team?.captain.objectID).managedKeyPath == "team.captain.objectID")
    }

    @Test("Accessors written with key-value coding or without a type are followed where a model is in use")
    func byHand() throws {
        let store = try KeyPathStore()
        withExtendedLifetime(store) {
            #expect((\KeyPathPerson.motto).managedKeyPath == "motto")
            #expect((\KeyPathPerson.boss?.boss?.name).managedKeyPath == "boss.boss.name")
        }
    }

    @Test("A key path that reads more than modelled properties has no name")
    func nameless() {
        let paths: [AnyKeyPath] = [
            \KeyPathPerson.title, \KeyPathPerson.name.count, \KeyPathPerson.team?.members.count,
            \KeyPathPerson.born.timeIntervalSince1970, \KeyPathPerson.nickname?.isEmpty, \KeyPathPerson.hasChanges,
            \String.count, \[Int].first,
        ]
        for path in paths { #expect(path.managedKeyPath == nil, "\(path)") }
    }

    @Test("Objects are not touched, and those of a context keep reading their own values")
    func independence() throws {
        let store = try KeyPathStore()
        try store.context.performAndWait {
            let person = try #require(
                try store.context.fetch(NSFetchRequest<KeyPathPerson>(entityName: "Person")).first)
            let name = person.name
            _ = (\KeyPathPerson.name).managedKeyPath
            #expect(KeyPathPerson.names.value(of: person) == name)
            #expect(store.context.registeredObjects.allSatisfy { $0.entity.name != "KeyPathRecorder" })
        }
    }

    @Test("Many threads may ask at once")
    func threads() async {
        await withTaskGroup(of: String?.self) { group in
            for number in 0..<40 {
                group.addTask {
                    number.isMultiple(of: 2)
                        ? (\KeyPathPerson.team?.name).managedKeyPath : (\KeyPathTeam.captain.name).managedKeyPath
                }
            }
            for await name in group { #expect(name == "team.name" || name == "captain.name") }
        }
    }

    @Test("An expression by a key path that has no name stops the process and names it")
    func stops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSExpression(forKeyPath: \KeyPathPerson.title)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("NSExpression(forKeyPath:)") && text.contains("KeyPathPerson"))
    }

    /// A class that is in no model, and values inside it.
    final class Plain: NSObject {
        struct Part { var size = 1 }
        var title = "t"
        var part: Part? = Part()
        var computed: Int { 1 }
    }

    @Test("Stored properties of other types have names; computed ones have not")
    func plainTypes() {
        #expect((\Plain.title).managedKeyPath == "title")
        #expect((\Plain.part?.size).managedKeyPath == "part.size")
        #expect((\Plain.computed).managedKeyPath == nil)
        #expect(NSExpression(forKeyPath: \Plain.title).keyPath == "title")
    }

    /// Values that no accessor has a stand-in for but a collection of nothing in particular.
    final class Tagged: NSManagedObject {
        private static let slots = (ManagedSlot("tags"), ManagedSlot("sizes"), ManagedSlot("set"))
        var tags: [String] { Self.slots.0.value(of: self) }
        var sizes: [String: Double] { Self.slots.1.value(of: self) }
        var set: Set<Int> { Self.slots.2.value(of: self) }
    }

    @Test("Collections of plain values that are not optional can be followed")
    func collections() {
        #expect((\Tagged.tags).managedKeyPath == "tags")
        #expect((\Tagged.sizes).managedKeyPath == "sizes")
        #expect((\Tagged.set).managedKeyPath == "set")
        // A part of a value is no key, and following it does no harm.
        #expect((\Tagged.tags[3].isEmpty).managedKeyPath == nil)
    }
}
