import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The version of a row", .leavesNothingBehind)
struct RowVersionTests {
    @Test("a row with the largest version is saved again and again, and other contexts notice")
    func largestVersion() throws {
        let library = try Library()
        let made = library.context()
        try made.performAndWait {
            made.make("Book", ["title": "first"])
            try made.save()
        }
        try RawDatabase(library.storeURL).execute("UPDATE ZBOOK SET Z_OPT = \(Int32.max)")
        // A coordinator of its own: the first one still has the old version of the row.
        let other = try library.beside()
        let (mine, theirs) = (other.context(), other.context())
        let held = try theirs.performAndWait { [theirs] in
            let book = try #require(try theirs.all("Book").first)
            #expect(book.text("title") == "first")
            return Held(book)
        }
        for title in ["second", "third", "fourth"] {
            try mine.performAndWait {
                let book = try #require(try mine.all("Book").first)
                book.setValue(title, forKey: "title")
                try mine.save()
                mine.refresh(book, mergeChanges: false)
                #expect(book.text("title") == title)
            }
        }
        #expect(try library.saved("Book", "title") == ["fourth"])
        theirs.performAndWait {
            held.value.setValue("mine", forKey: "title")
            #expect(throws: (any Error).self) { try theirs.save() }
        }
        #expect(try library.saved("Book", "title") == ["fourth"])
    }
}
