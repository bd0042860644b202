import Foundation
import SwiftData
import Testing

/// Initialisers that throw after they have related the new model to other ones.
@Suite("Initialisers of SwiftData's models that throw")
struct SwiftDataFailedInitialiserTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let desk = Desk(name: "desk")

    init() throws {
        container = try ModelContainer(
            for: Desk.self, Ticket.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func savedTitles() throws -> [String] {
        try context.save()
        return try ModelContext(container).fetch(FetchDescriptor<Ticket>()).map(\.title).sorted()
    }

    @Test("A model whose initialiser has thrown is not saved", arguments: [false, true])
    func failed(afterFetch: Bool) throws {
        context.insert(desk)
        #expect(throws: TicketError.untitled) { try Ticket(desk, "") }
        let ticket = try Ticket(desk, "good")
        if afterFetch {
            #expect(try context.fetch(FetchDescriptor<Ticket>()).map(\.title) == ["good"])
        }
        #expect(context.insertedModelsArray.count == 2)
        #expect(try savedTitles() == ["good"])
        #expect(desk.tickets == [ticket])
    }

    @Test("A model whose initialiser has thrown does not come with a model that is inserted later")
    func insertedLater() throws {
        #expect(throws: TicketError.untitled) { try Ticket(desk, "") }
        context.insert(desk)
        #expect(try savedTitles() == [])
        #expect(try context.fetchCount(FetchDescriptor<Desk>()) == 1 && desk.tickets.isEmpty)
    }

    @Test("A model that the program does not keep is saved, if all its properties have values")
    func notKept() throws {
        context.insert(desk)
        for title in ["a", "b"] { _ = try Ticket(desk, title) }
        #expect(try savedTitles() == ["a", "b"])
        #expect(desk.tickets.count == 2)
    }

    @Test("An initialiser may fetch before all properties have values", arguments: [false, true])
    func fetching(fails: Bool) throws {
        context.insert(desk)
        let ticket = try? Ticket(desk, fails ? "" : "a") {
            let count = try context.fetchCount(FetchDescriptor<Desk>())
            #expect(count == 1)
        }
        #expect(try savedTitles() == (fails ? [] : ["a"]))
        #expect((ticket == nil) == fails)
    }
}

struct TicketSeat: Codable {
    var row: Int?
    var label: String?
}

private enum TicketError: Error { case untitled }

@Model final class Desk {
    var name: String
    @Relationship(inverse: \Ticket.desk) var tickets: [Ticket] = []

    init(name: String) { self.name = name }
}

@Model final class Ticket {
    var number = 0
    /// A structure without any value.
    var seat = TicketSeat()
    var desk: Desk?
    var title: String

    init(_ desk: Desk, _ title: String, _ body: () throws -> Void = {}) throws {
        self.desk = desk
        try body()
        guard !title.isEmpty else { throw TicketError.untitled }
        self.title = title
    }
}
