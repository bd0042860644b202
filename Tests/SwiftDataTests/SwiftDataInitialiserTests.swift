import Foundation
import SwiftData
import Testing

/// Initialisers of subclasses set relationships before the superclass is initialised.
@Suite("Initialisers of SwiftData's models that set relationships")
struct SwiftDataInitialiserTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Kennel.self, Pet.self, Hound.self, Puppy.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    /// The names of the saved pets, in their order.
    private func saved() throws -> [String] {
        try context.save()
        return try ModelContext(container).fetch(FetchDescriptor<Pet>()).map(\.name).sorted()
    }

    @Test("A subclass that joins an inserted model is saved with the values of its superclass")
    func inserted() throws {
        let kennel = Kennel()
        context.insert(kennel)
        let hound = Hound(kennel)
        #expect(try context.fetchCount(FetchDescriptor<Pet>(predicate: #Predicate { $0.name == "hound" })) == 1)
        #expect(try saved() == ["hound"])
        #expect(hound.kennel === kennel && kennel.hounds.first === hound)
    }

    @Test("A subclass and the new model that it joins make one row each")
    func newModel() throws {
        let hound = Hound(Kennel())
        context.insert(hound)
        #expect(try saved() == ["hound"])
        #expect(try context.fetchCount(FetchDescriptor<Kennel>()) == 1)
    }

    @Test("The insertion of the other model brings the subclass with the values of its superclass")
    func insertedLater() throws {
        let kennel = Kennel()
        let hound = Hound(kennel)
        context.insert(kennel)
        #expect(try saved() == ["hound"])
        #expect(hound.name == "hound")
    }

    @Test("Two levels of subclasses join models inside and outside of the context", arguments: [0, 1, 2, 3])
    func twoLevels(inserted: Int) throws {
        let (first, second) = (Kennel(), Kennel())
        if inserted & 1 != 0 { context.insert(first) }
        if inserted & 2 != 0 { context.insert(second) }
        let puppy = Puppy(first, second)
        #expect(puppy.kennel === first && puppy.basket === second && puppy.name == "hound")
        context.insert(puppy)
        #expect(try saved() == ["hound"])
        #expect(try context.fetchCount(FetchDescriptor<Kennel>()) == 2)
    }

    @Test("A save names the class of a model that went before its superclass' values came to the context")
    func gone() throws {
        let kennel = Kennel()
        context.insert(kennel)
        _ = Hound(kennel)
        let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect("\(try #require(error))".contains("Hound"))
        #expect(try saved() == [])
        #expect(try context.fetchCount(FetchDescriptor<Kennel>()) == 1)
    }

    @Test("An array joins models of which the last one alone is in a context", arguments: [true, false])
    func arrays(isSet: Bool) throws {
        let (new, inserted) = (Pet(name: "new"), Pet(name: "inserted"))
        context.insert(inserted)
        let kennel = isSet ? Kennel() : Kennel(pets: [new, inserted])
        if isSet { kennel.pets = [new, inserted] }
        #expect(try saved() == ["inserted", "new"])
        #expect(kennel.pets.count == 2)
    }

    @Test("A relationship that is unset before the insertion brings no model along", arguments: [true, false])
    func unset(fromPet: Bool) throws {
        let kennel = Kennel()
        let other = Kennel()
        let hound = Hound(kennel)
        if fromPet {
            hound.kennel = other
        } else {
            kennel.hounds = [hound]
            kennel.hounds = []
        }
        context.insert(kennel)
        #expect(try saved() == [])
        #expect(hound.modelContext == nil && other.modelContext == nil)
        context.insert(hound)
        #expect(try saved() == ["hound"])
        #expect(try context.fetchCount(FetchDescriptor<Kennel>()) == (fromPet ? 2 : 1))
    }
}

@Model final class Kennel {
    var hounds: [Hound] = []
    var pets: [Pet] = []

    init(pets: [Pet] = []) { self.pets = pets }
}

@Model class Pet {
    var name: String

    init(name: String) { self.name = name }
}

@Model class Hound: Pet {
    @Relationship(inverse: \Kennel.hounds) var kennel: Kennel?

    init(_ kennel: Kennel) {
        self.kennel = kennel
        super.init(name: "hound")
    }
}

@Model final class Puppy: Hound {
    var basket: Kennel?

    init(_ kennel: Kennel, _ basket: Kennel) {
        self.basket = basket
        super.init(kennel)
    }
}
