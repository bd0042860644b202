import Foundation
import SwiftData

// A schema of its own for the tests of contexts.

@Model final class Cabinet {
    @Attribute(.unique) var code: String
    var title: String = ""
    var width: Int?
    @Relationship(deleteRule: .cascade, inverse: \Binder.cabinet) var binders: [Binder] = []
    @Relationship(inverse: \CabinetLabel.cabinets) var labels: [CabinetLabel] = []
    @Transient var seen = 0

    init(_ code: String, title: String = "") {
        self.code = code
        self.title = title
    }
}

@Model final class Binder {
    var name: String
    var cabinet: Cabinet?

    init(_ name: String, on cabinet: Cabinet? = nil) {
        self.cabinet = cabinet
        self.name = name
    }
}

@Model final class CabinetLabel {
    var name: String
    var cabinets: [Cabinet] = []

    init(_ name: String) { self.name = name }
}

@Model final class SeatTicket {
    #Unique<SeatTicket>([\.row, \.seat])
    var row: String
    var seat: Int
    var owner: String?

    init(_ row: String, _ seat: Int, owner: String? = nil) {
        self.row = row
        self.seat = seat
        self.owner = owner
    }
}

@Model final class BoundChapter {
    var title: String
    @Relationship(inverse: \BoundLeaf.chapter) var leaves: [BoundLeaf] = []

    init(_ title: String) { self.title = title }
}

@Model final class BoundLeaf {
    var number: Int
    var chapter: BoundChapter

    init(_ number: Int, of chapter: BoundChapter) {
        self.number = number
        self.chapter = chapter
    }
}

/// Its initialiser reads a property of its own.
@Model class CabinetNote {
    var text: String
    var length: Int = 0

    init(_ text: String) {
        self.text = text
        length = self.text.count
    }
}

@Model final class DatedCabinetNote: CabinetNote {
    var day: Int
    var chapter: BoundChapter?

    init(_ text: String, day: Int, of chapter: BoundChapter? = nil) {
        self.chapter = chapter
        self.day = day
        super.init(text)
    }
}

/// A class that no container of these tests has.
@Model final class Stranger {
    var name: String

    init(_ name: String) { self.name = name }
}

enum CabinetStore {
    static let schema: [any PersistentModel.Type] = [
        Cabinet.self, Binder.self, CabinetLabel.self, SeatTicket.self, BoundChapter.self, BoundLeaf.self,
        CabinetNote.self,
        DatedCabinetNote.self,
    ]

    static func inMemory() throws -> ModelContainer {
        try ModelContainer(for: Schema(schema), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    static func file(_ path: String) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(schema), configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    }
}
