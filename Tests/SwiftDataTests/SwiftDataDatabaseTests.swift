#if PostgreSQL
import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Plans on stores in PostgreSQL.
@Suite(
    "Migrations of SwiftData's databases",
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct SwiftDataDatabaseTests {
    private func open(
        _ url: URL, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: plan,
                configurations: [ModelConfiguration(url: url)]))
    }

    private func make(_ url: URL, _ version: any VersionedSchema.Type, _ body: (ModelContext) -> Void) throws {
        let context = try open(url, version)
        body(context)
        try context.save()
    }

    @Test("A database goes through all stages, and through a data stage once")
    func stages() throws {
        try withDatabase { url, _ in
            try make(url, DiaryV1.self) { context in
                for number in 0..<3 { context.insert(DiaryV1.Note(title: "n\(number)", words: number)) }
            }
            let context = try open(url, DiaryV3.self, DiaryPlan.self)
            let notes = try context.fetch(FetchDescriptor<DiaryV3.Note>(sortBy: [SortDescriptor(\.words)]))
            #expect(notes.map(\.summary) == ["n0! 0", "n1! 1", "n2! 2"])
            #expect(Set(notes.map(\.key)).count == 3)
            #expect(notes.map(\.place.floor) == [4, 4, 4])
            #expect(notes.allSatisfy { $0.readers.map(\.name) == ["Ann"] })
        }
        try withDatabase { url, _ in
            try make(url, PricesV1.self) { $0.insert(Price(cents: 7)) }
            for _ in 0..<2 {
                let context = try open(url, PricesV2.self, PricePlan.self)
                #expect(try context.fetch(FetchDescriptor<Price>()).map(\.cents) == [14])
            }
        }
    }

    @Test("A database of an unknown version is refused, or led on")
    func unknown() throws {
        try withDatabase { url, _ in
            try make(url, DiaryBetween.self) { $0.insert(DiaryBetween.Note(title: "a")) }
            let error = #expect(throws: SwiftDataError.self) { try open(url, DiaryV3.self, DiaryPlan.self) }
            #expect("\(try #require(error))".contains("Note.summary is missing in DiaryV1"))
            var configuration = ModelConfiguration(url: url)
            configuration.unknownVersions = .inferToNearest
            let context = ModelContext(
                try ModelContainer(
                    for: DiaryV3.Note.self, migrationPlan: DiaryPlan.self, configurations: configuration))
            #expect(try context.fetchCount(FetchDescriptor<DiaryV3.Note>()) == 1)
        }
    }
}
#endif
