import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Fetches without values", .leavesNothingBehind)
struct FetchWithoutValuesTests {
    private func request(_ entity: String = "Book") -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesPropertyValues = false
        return request
    }

    @Test("A fetch without property values gives faults and reads no row", arguments: StoreKind.sampled())
    func readsNoRow(kind: StoreKind) throws {
        let library = try Library(kind)
        let maker = library.context()
        try maker.performAndWait {
            for number in 1...5 { maker.make(number == 5 ? "Novel" : "Book", ["title": "T\(number)"]) }
            try maker.save()
            maker.reset()
        }
        let context = library.context()
        try context.performAndWait {
            let books = try context.fetch(request())
            #expect(books.count == 5)
            #expect(books.allSatisfy { $0.isFault && $0.row == nil })
            if kind == .sqlite { #expect(library.coordinator.cachedRowCount == 0) }
            #expect(Set(books.map { $0.entity.name }) == ["Book", "Novel"])
            // A second fetch returns the same objects, and their values are read at the first access.
            #expect(try context.fetch(request()) == books)
            #expect(Set(books.map { $0.value(forKey: "title") as? String }) == ["T1", "T2", "T3", "T4", "T5"])
            context.checkInvariants()
        }
    }

    @Test("Unsaved changes count, and a fetch for real or prefetched objects reads them")
    func besidesFaults() throws {
        let library = try Library(.sqlite)
        let maker = library.context()
        try maker.performAndWait {
            let author = maker.make("Author", ["name": "A"])
            for number in 1...5 { maker.make("Book", ["title": "T\(number)", "author": author]) }
            try maker.save()
        }
        let context = library.context()
        try context.performAndWait {
            let real = request()
            real.returnsObjectsAsFaults = false
            #expect(try context.fetch(real).allSatisfy { !$0.isFault })
            context.reset()
            let prefetching = request()
            prefetching.relationshipKeyPathsForPrefetching = ["author"]
            let author = try #require(try context.fetch(prefetching).first?.value(forKey: "author") as? NSManagedObject)
            #expect(author.row != nil)
            context.reset()
            let first = try #require(try context.all("Book", "title == 'T1'").first)
            first.setValue("Z", forKey: "title")
            context.make("Book", ["title": "N"])
            let sorted = request()
            sorted.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            #expect(
                try context.fetch(sorted).map { $0.value(forKey: "title") as? String }
                    == ["N", "T2", "T3", "T4", "T5", "Z"])
            context.checkInvariants()
        }
        let child = library.child(of: context)
        try child.performAndWait {
            let books = try child.fetch(request())
            #expect(books.count == 6)
            child.checkInvariants()
        }
    }
}
