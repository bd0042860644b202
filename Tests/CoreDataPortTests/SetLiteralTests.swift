import Testing

@testable import CoreDataPort

@Suite("Porting literals of Foundation's sets")
struct SetLiteralTests {
    @Test("A literal that a declared set of Foundation's is given is made by its initialiser")
    func declared() throws {
        let ported = try Ported([
            "Person.swift": """
            import CoreData
            final class Person: NSManagedObject {
                @NSManaged var cars: NSSet?
                @NSManaged var places: NSMutableSet
                @NSManaged var tags: Set<Tag>
                @NSManaged var mixed: NSSet?
            }
            final class Club: NSManagedObject { var mixed: [Int] = [] }
            """,
            "A.swift": """
            import CoreData
            func f(_ person: Person) {
                person.cars = [Car(a: [1]), b]
                person?.places = []
                person.addToCars([a, b])
                person.removeFromCars([])
                person.addToCars(a)
                person.tags = [a]
                person.addToTags([a])
                person.mixed = [a]
                person.cars = [a, b] as NSSet
                person.cars = [a][0]
                if person.cars == [a] { let cars = [a] }
                var cars: [Car]; cars = [a]
            }
            """,
        ])
        #expect(
            ported.text("A.swift") == """
                import CoreData
                func f(_ person: Person) {
                    person.cars = NSSet(array: [Car(a: [1]), b])
                    person?.places = NSMutableSet()
                    person.addToCars(NSSet(array: [a, b]))
                    person.removeFromCars(NSSet())
                    person.addToCars(a)
                    person.tags = [a]
                    person.addToTags([a])
                    person.mixed = [a]
                    person.cars = NSSet(array: [a, b])
                    person.cars = [a][0]
                    if person.cars == [a] { let cars = [a] }
                    var cars: [Car]; cars = [a]
                }
                """)
    }

    @Test("So is one for a relationship whose class is generated")
    func generated() throws {
        let ported = try Ported("import CoreData\nfolder.notes = [note]\nnote.folder = [a]\n", model: notes)
        #expect(ported.text == "import CoreData\nfolder.notes = NSSet(array: [note])\nnote.folder = [a]\n")
    }

    @Test("So is one that stands in for a set that is missing")
    func standIn() throws {
        let ported = try Ported(
            """
            import CoreData
            let a = (value as! NSSet?) ?? []
            let b = value as? NSMutableSet ?? [1]
            let c = (value as? NSArray) ?? []
            let d = (value as? NSSet) ?? other
            """)
        #expect(
            ported.text == """
                import CoreData
                let a = (value as! NSSet?) ?? NSSet()
                let b = value as? NSMutableSet ?? NSMutableSet(array: [1])
                let c = (value as? NSArray) ?? []
                let d = (value as? NSSet) ?? other
                """)
    }
}
