import CoreData
import TestSupport

/// A person with an accessor of every way to write one.
final class KeyPathPerson: NSManagedObject {
    enum Mood: String, Codable { case calm, wild }
    enum Rank: Int16, Codable { case junior = 3, senior = 7 }

    static let names = ManagedSlot("name")

    var name: String {
        get { Self.names.value(of: self) }
        set { Self.names.set(newValue, of: self) }
    }
    var nickname: String? {
        get { ManagedSlot("nickname").value(of: self) }
        set { ManagedSlot("nickname").set(newValue, of: self) }
    }
    var age: Int32 {
        get { ManagedSlot("age").value(of: self) }
        set { ManagedSlot("age").set(newValue, of: self) }
    }
    var score: Double {
        get { ManagedSlot("score").value(of: self) }
        set { ManagedSlot("score").set(newValue, of: self) }
    }
    var isActive: Bool {
        get { ManagedSlot("isActive").value(of: self) }
        set { ManagedSlot("isActive").set(newValue, of: self) }
    }
    var born: Date {
        get { ManagedSlot("born").value(of: self) }
        set { ManagedSlot("born").set(newValue, of: self) }
    }
    var home: URL {
        get { ManagedSlot("home").value(of: self) }
        set { ManagedSlot("home").set(newValue, of: self) }
    }
    var identifier: UUID? {
        get { ManagedSlot("identifier").value(of: self) }
        set { ManagedSlot("identifier").set(newValue, of: self) }
    }
    var money: Decimal {
        get { ManagedSlot("money").value(of: self) }
        set { ManagedSlot("money").set(newValue, of: self) }
    }
    var rank: Rank {
        get { ManagedSlot("rank").value(of: self) }
        set { ManagedSlot("rank").set(newValue, of: self) }
    }
    var mood: Mood? {
        get { ManagedSlot("mood").value(of: self) }
        set { ManagedSlot("mood").set(newValue, of: self) }
    }
    var number: NSNumber {
        get { ManagedSlot("age").value(of: self) }
        set { ManagedSlot("age").set(newValue, of: self) }
    }
    var team: KeyPathTeam? {
        get { ManagedSlot("team").value(of: self) }
        set { ManagedSlot("team").set(newValue, of: self) }
    }
    var boss: KeyPathPerson? {
        get { toOne(ManagedSlot("boss")) as? KeyPathPerson }
        set { set(ManagedSlot("boss"), toOne: newValue) }
    }
    /// By key-value coding, as accessors are written by hand on a Mac.
    var motto: String {
        get {
            willAccessValue(forKey: "motto")
            defer { didAccessValue(forKey: "motto") }
            return primitiveValue(forKey: "motto") as! String
        }
        set { setPrimitiveValue(newValue, forKey: "motto") }
    }
    /// Not a property of the model.
    var title: String { name + (nickname ?? "") }
}

final class KeyPathTeam: NSManagedObject {
    var name: String {
        get { ManagedSlot("name").value(of: self) }
        set { ManagedSlot("name").set(newValue, of: self) }
    }
    var members: Set<KeyPathPerson> {
        get { ManagedSlot("members").value(of: self) }
        set { ManagedSlot("members").set(newValue, of: self) }
    }
    var captain: KeyPathPerson {
        get { ManagedSlot("captain").value(of: self) }
        set { ManagedSlot("captain").set(newValue, of: self) }
    }
}

/// A store with three people and two teams.
struct KeyPathStore {
    let context: NSManagedObjectContext

    init() throws {
        let model = ModelText.model(
            """
            entity Person
              name string!
              nickname string
              motto string
              mood string
              age int32
              rank int16 = 3
              score double
              isActive bool
              born date
              home uri
              identifier uuid
              money decimal
              team one Team.members
              boss one Person
            entity Team
              name string!
              members many Person.team
              captain one Person
            """)
        for entity in model.entities {
            entity.managedObjectClassName = "CoreDataRequestTests.KeyPath\(entity.name ?? "")"
        }
        context = try Library(model: model).context()
        let context = context
        try context.performAndWait {
            let red = KeyPathTeam(context: context)
            red.name = "red"
            let blue = KeyPathTeam(context: context)
            blue.name = "blue"
            func person(_ name: String, _ nickname: String?, _ age: Int32, _ team: KeyPathTeam?) -> KeyPathPerson {
                let person = KeyPathPerson(context: context)
                person.name = name
                person.nickname = nickname
                person.age = age
                person.score = Double(age) / 2
                person.isActive = age > 25
                person.born = Date(timeIntervalSinceReferenceDate: TimeInterval(age) * 1000)
                person.rank = age > 25 ? .senior : .junior
                person.mood = nickname == nil ? nil : .wild
                person.team = team
                return person
            }
            let ann = person("Ann 10", "Änne", 30, red)
            let ben = person("ben 9", nil, 20, blue)
            let cleo = person("Cleo", "Ann", 40, nil)
            ben.boss = ann
            ann.boss = cleo
            try context.save()
        }
    }

    /// The names of the people that a request finds.
    func names(_ configure: (NSFetchRequest<KeyPathPerson>) -> Void) throws -> [String] {
        try context.performAndWait {
            let request = NSFetchRequest<KeyPathPerson>(entityName: "Person")
            configure(request)
            return try context.fetch(request).map(\.name)
        }
    }

    /// The names of the people that a predicate finds, found by the store and again among objects in memory.
    func names(where predicate: NSPredicate) throws -> (stored: [String], inMemory: [String]) {
        let stored = try names { $0.predicate = predicate }.sorted()
        let inMemory = try context.performAndWait {
            try context.fetch(NSFetchRequest<KeyPathPerson>(entityName: "Person"))
                .filter { predicate.evaluate(with: $0) }.map(\.name).sorted()
        }
        return (stored, inMemory)
    }
}
