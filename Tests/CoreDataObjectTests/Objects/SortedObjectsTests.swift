import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A tag that answers keys by itself.
final class LoudTag: NSManagedObject {
    override func value(forKey key: String) -> Any? {
        guard key == "name", let name = super.value(forKey: key) as? String else { return super.value(forKey: key) }
        return String(name.reversed())
    }
}

@Suite("Objects that a sort descriptor orders", .leavesNothingBehind)
struct SortedObjectsTests {
    /// Books with and without values, of two entities, of which some are saved, some changed and some new.
    private func books(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        func fill(_ book: NSManagedObject, _ number: Int) {
            if number % 5 == 0 { return }
            let scattered = number * 7 % 11
            book.setValue(
                ["", "a", "B", "aa", "ä", "a\u{308}", "日本", "a longer title than fits"][scattered % 8], forKey: "title")
            book.setValue(scattered - 5, forKey: "pages")
            book.setValue(NSDecimalNumber(string: "\(scattered).25"), forKey: "price")
            book.setValue(Date(timeIntervalSinceReferenceDate: Double(-scattered)), forKey: "published")
            book.setValue(Float(scattered) / 3, forKey: "rating")
            book.setValue(Data([UInt8(scattered), 1]), forKey: "cover")
            book.setValue(
                UUID(uuidString: "0000000\(scattered % 10)-0000-0000-0000-000000000000"), forKey: "identifier")
            book.setValue(URL(string: "https://example.org/\(scattered)"), forKey: "link")
        }
        for number in 0..<24 { fill(context.make(number % 3 == 0 ? "Novel" : "Book"), number) }
        try context.save()
        context.reset()
        var books = try context.all("Book")
        for (number, book) in books.enumerated() where number % 4 == 0 { fill(book, number + 3) }
        for number in 0..<8 {
            let book = context.make("Book")
            fill(book, number + 1)
            books.append(book)
        }
        return books
    }

    private let keys = ["title", "pages", "price", "published", "rating", "cover", "identifier", "link", "copies"]

    @Test("They come in the order of the values that key-value coding gives, for attributes of each type")
    func everyType() throws {
        let context = try Library().context()
        try context.performAndWait {
            let books = try books(context)
            for key in keys {
                for isAscending in [true, false] {
                    let descriptor = NSSortDescriptor(key: key, ascending: isAscending)
                    func boxed(_ object: Any) -> ExpressionValue {
                        ExpressionValue((object as? NSManagedObject)?.value(forKey: key))
                    }
                    for (a, b) in zip(books, books.dropFirst() + books.prefix(1)) {
                        let order = try #require(SortSelector.compare.order(boxed(a), boxed(b)))
                        let expected = isAscending ? order.rawValue : -order.rawValue
                        #expect(descriptor.compare(a, to: b).rawValue == expected, "\(key)")
                    }
                    let sorted = NSArray(array: books).sortedArray(using: [descriptor])
                    let others = books.sorted(byDescriptors: [descriptor])
                    #expect(sorted.map { boxed($0).printed } == others.map { boxed($0).printed }, "\(key)")
                }
            }
        }
    }

    @Test("A number that is none stops no sort by dates, and a fault is read")
    func faults() throws {
        let context = try Library().context()
        try context.performAndWait {
            for (title, seconds) in [("b", 2), ("a", 1), ("c", 3)] {
                context.make(
                    "Book", ["title": title, "published": Date(timeIntervalSinceReferenceDate: Double(seconds))])
            }
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.includesPropertyValues = false
            let faults = try context.fetch(request)
            let sorted = NSArray(array: faults).sortedArray(using: [
                NSSortDescriptor(key: "published", ascending: false)
            ])
            #expect(
                sorted.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["c", "b", "a"])
        }
    }

    @Test("An object of a class that answers keys by itself is ordered by its answers, also by a predicate")
    func ownAnswers() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.managedObjectClassName = "CoreDataObjectTests.LoudTag"
        let context = try Library(model: model).context()
        try context.performAndWait {
            for name in ["az", "by", "cx"] { context.make("Tag", ["name": name]) }
            try context.save()
            let tags = try context.all("Tag")
            #expect(tags.allSatisfy { $0 is LoudTag })
            let descriptor = NSSortDescriptor(key: "name", ascending: true)
            let sorted = NSArray(array: tags).sortedArray(using: [descriptor])
            #expect(
                sorted.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String } == ["xc", "yb", "za"])
            #expect(tags.sorted(byDescriptors: [descriptor]) == sorted as? [NSManagedObject])
            #expect(tags.filter { NSPredicate(format: "name == 'za'").evaluate(with: $0) }.count == 1)
        }
    }
}
