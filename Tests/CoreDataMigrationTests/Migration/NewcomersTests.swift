import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A new part without a renaming identifier gets nothing of a removed one, however similar the two are.
@Suite("New properties beside removed ones", .leavesNothingBehind)
struct NewcomersTests {
    typealias Way = MigratedPairsTests.Way

    /// Two entities whose objects have names: those of Team begin with “t”, those of Person with “p”.
    struct Change: Sendable, CustomTestStringConvertible {
        var team: (older: String, newer: String)
        var person: (older: String, newer: String) = ("", "")
        /// The links that are set in the older version: “t0.members=p0,p1”.
        var before: String
        var after = ""

        var testDescription: String { "\(team.older) \(person.older) → \(team.newer) \(person.newer)" }
        var older: NSManagedObjectModel { Self.model(team.older, person.older) }
        var newer: NSManagedObjectModel { Self.model(team.newer, person.newer) }

        private static func model(_ team: String, _ person: String) -> NSManagedObjectModel {
            ModelText.model("entity Team\n  n string\n  \(team)\nentity Person\n  n string\n  \(person)")
        }
    }

    private static func fill(_ context: NSManagedObjectContext, _ text: String) throws {
        var objects: [String: NSManagedObject] = [:]
        for name in ["t0", "t1", "p0", "p1", "p2"] {
            objects[name] = context.make(name.hasPrefix("t") ? "Team" : "Person", ["n": name])
        }
        for assignment in text.split(separator: " ") {
            let parts = assignment.split { ".=".contains($0) }.map(String.init)
            let object = try #require(objects[parts[0]])
            let value = parts[2].split(separator: ",").map(String.init)
            guard let relationship = object.entity.relationshipsByName[parts[1]] else {
                object.setValue(value[0], forKey: parts[1])
                continue
            }
            let members = value.compactMap { objects[$0] }
            object.setValue(
                !relationship.isToMany
                    ? members[0] : relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
                forKey: parts[1])
        }
        try context.save()
    }

    /// Everything but the names, as it is written down for the older version.
    private static func shown(_ context: NSManagedObjectContext) throws -> String {
        func name(_ object: Any) -> String {
            ((object as? NSManagedObject)?.value(forKey: "n") as? String) ?? "\(object)"
        }
        let objects = try (context.all("Team") + context.all("Person")).sorted { name($0) < name($1) }
        return objects.flatMap { object in
            object.entity.propertiesByName.keys.sorted().filter { $0 != "n" }.compactMap { key -> String? in
                let names: [String]
                switch object.value(forKey: key) {
                case let list as NSOrderedSet: names = list.array.map(name)
                case let set as NSSet: names = set.allObjects.map(name).sorted()
                case let one?: names = [name(one)]
                case nil: names = []
                }
                return names.isEmpty ? nil : "\(name(object)).\(key)=\(names.joined(separator: ","))"
            }
        }.joined(separator: " ")
    }

    private static let kept = "p0.team=t0 p1.team=t0 p2.team=t1"
    private static let changes: [Change] = [
        .init(
            team: ("members many Person.team", "captain one Person.team"),
            person: ("team one Team.members", "team one Team.captain"), before: "t0.members=p0,p1 t1.members=p2",
            after: kept),
        .init(
            team: ("members ordered Person.team", "captain one Person.team"),
            person: ("team one Team.members", "team one Team.captain"), before: "t0.members=p1,p0 t1.members=p2",
            after: kept),
        .init(
            team: ("members many Person", "captain one Person.team"),
            person: ("team one Team", "team one Team.captain"),
            before: "t0.members=p0,p1 p0.team=t0 p1.team=t0 p2.team=t1", after: kept),
        .init(
            team: ("members many Person.team", "captain one Person.leads"),
            person: ("team one Team.members", "leads one Team.captain"), before: "t0.members=p0,p1"),
        .init(team: ("members many Person", "captain one Person"), before: "t0.members=p0,p1"),
        .init(
            team: ("members many Person.teams", "captain one Person"), person: ("teams many Team.members", ""),
            before: "t0.members=p0,p1 t1.members=p0"),
        .init(
            team: ("captain one Person", "members many Person.team"), person: ("", "team one Team.members"),
            before: "t0.captain=p0 t1.captain=p0"),
        .init(team: ("captain one Person", "members many Person"), before: "t0.captain=p0 t1.captain=p0"),
        .init(
            team: ("captain one Person", "members ordered Person.teams"), person: ("", "teams many Team.members"),
            before: "t0.captain=p0 t1.captain=p0"),
        .init(
            team: ("captain one Person.team", "members many Person.team"),
            person: ("team one Team.captain", "team one Team.members"), before: "t0.captain=p0",
            after: "p0.team=t0 t0.members=p0"),
    ]

    @Test(
        "A relationship starts empty, beside any removed one; one that stays keeps its links", arguments: changes,
        Way.allCases)
    func relationships(_ change: Change, _ way: Way) throws {
        try check(change, way)
    }

    private static let columns: [Change] = [
        .init(team: ("title string", "Title string"), before: "t0.title=x"),
        .init(team: ("title string", "Title int64"), before: "t0.title=x"),
        .init(team: ("captain one Person", "Captain int64"), before: "t0.captain=p1"),
        .init(team: ("captain one Person", "Captain one Person"), before: "t0.captain=p1"),
        .init(team: ("title string", "Title one Person"), before: "t0.title=x"),
        .init(
            team: ("members many Person", "Members many Person"), before: "t0.members=p1"),
        .init(
            team: ("members many Person.teams", "Members many Person.Teams"),
            person: ("teams many Team.members", "Teams many Team.Members"), before: "t0.members=p1"),
    ]

    @Test(
        "a property does not take over the column of one whose name differs in case alone", arguments: columns,
        Way.allCases)
    func sameColumns(_ change: Change, _ way: Way) throws {
        try check(change, way)
    }

    private func check(_ change: Change, _ way: Way) throws {
        try withTemporaryFolder { folder in
            let newer = change.newer
            let url = try MigratedPairsTests.migrate(change.older, newer, way, folder) {
                try Self.fill($0, change.before)
            }
            #expect(try withStore(url, newer, type: way.type) { try Self.shown($0) } == change.after)
        }
    }
}
