import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Arguments that are accepted, and have no effect or another one than on Apple's platforms.
@Suite("Arguments of SwiftData without effect")
struct SwiftDataAcceptedTests {

    @Test("Options for encryption and for Spotlight change neither the hashes nor the tables")
    func options() throws {
        let plain = try ModelBuilder(schema: Schema([PlainNote.Note.self])).model()
        let marked = try ModelBuilder(schema: Schema([MarkedNote.Note.self])).model()
        #expect(plain.entityVersionHashesByName == marked.entityVersionHashesByName)
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("notes.store")
            let first = try ModelContainer(for: PlainNote.Note.self, configurations: ModelConfiguration(url: url))
            let context = ModelContext(first)
            context.insert(PlainNote.Note(text: "a"))
            try context.save()
            let second = try ModelContainer(for: MarkedNote.Note.self, configurations: ModelConfiguration(url: url))
            #expect(try ModelContext(second).fetch(FetchDescriptor<MarkedNote.Note>()).map(\.text) == ["a"])
        }
    }

    @Test("A group container is a folder beside the program's other data")
    func group() {
        let own = ModelConfiguration("notes")
        let shared = ModelConfiguration("notes", groupContainer: .identifier("group.example"))
        #expect(shared.groupAppContainerIdentifier == "group.example")
        #expect(own.groupAppContainerIdentifier == nil)
        #expect(
            shared.url
                == own.url.deletingLastPathComponent().appendingPathComponent("group.example/notes.store"))
        #expect(ModelConfiguration("notes", groupContainer: .none).url == own.url)
    }

    @Test("A database of CloudKit by name is one line on standard error, and changes nothing else")
    func cloudKit() async {
        let end = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let url = URL(fileURLWithPath: "/dev/null")
            for name in ["iCloud.one", "iCloud.two"] {
                let configuration = ModelConfiguration(url: url, cloudKitDatabase: .private(name))
                #expect(configuration.cloudKitContainerIdentifier == nil)
                let context = ModelContext(try ModelContainer(for: PlainNote.Note.self, configurations: configuration))
                context.insert(PlainNote.Note(text: "a"))
                try context.save()
            }
        }
        let lines = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.contains("iCloud.one") }.count == 1, "\(lines)")
        #expect(!lines.contains { $0.contains("iCloud.two") })
        let silent = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for database in [ModelConfiguration.CloudKitDatabase.automatic, .none] {
                let configuration = ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: database)
                _ = try ModelContainer(for: PlainNote.Note.self, configurations: configuration)
            }
        }
        let text = String(decoding: silent?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("CloudKit"))
    }
}

enum PlainNote {
    @Model final class Note {
        var text: String
        var secret: String = ""

        init(text: String) { self.text = text }
    }
}

enum MarkedNote {
    @Model final class Note {
        @Attribute(.spotlight) var text: String
        @Attribute(.allowsCloudEncryption) var secret: String = ""

        init(text: String) { self.text = text }
    }
}
