import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Proof: our SQLite stores, read here.
@Suite("Saving to a SQLite store", .leavesNothingBehind)
struct SQLiteStoreSavingTests {
    @Test("every kind of value comes back from the file as it was saved")
    func valuesComeBack() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let identifier = UUID()
            let cover = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
            do {
                let library = try StoreFixture(at: url)
                try library.insert(
                    "Book",
                    [
                        [
                            "title": "Ærø", "isbn": "1", "pages": 321, "price": Decimal(string: "10.11"),
                            "rating": 4.25, "published": Date(timeIntervalSinceReferenceDate: -12.5), "inPrint": true,
                            "identifier": identifier, "link": URL(string: "https://example.org/a?b=c"),
                            "digest": Data([0, 1, 2]), "cover": cover,
                        ],
                        ["isbn": "2", "title": "", "cover": Data([9])],
                    ])
            }
            let library = try StoreFixture(at: url)
            let rows = try library.rows("Book", NSPredicate(format: "isbn == %@", "1"))
            let row = try #require(rows.first)
            #expect(row.string(library.slot("Book", "title")) == "Ærø")
            #expect(row.int(library.slot("Book", "pages")) == 321)
            #expect(row.decimal(library.slot("Book", "price")) == Decimal(string: "10.11"))
            #expect(row.double(library.slot("Book", "rating")) == 4.25)
            #expect(row.double(library.slot("Book", "published")) == -12.5)
            #expect(row.int(library.slot("Book", "inPrint")) == 1)
            #expect(row.uuid(library.slot("Book", "identifier")) == identifier)
            #expect(row.string(library.slot("Book", "link")) == "https://example.org/a?b=c")
            #expect(row.data(library.slot("Book", "digest")) == Data([0, 1, 2]))
            #expect(row.data(library.slot("Book", "cover")) == cover)
            let other = try #require(try library.rows("Book", NSPredicate(format: "isbn == %@", "2")).first)
            #expect(!other.isNull(library.slot("Book", "title")))
            #expect(other.string(library.slot("Book", "title")) == "")
            #expect(other.isNull(library.slot("Book", "pages")))
            #expect(other.data(library.slot("Book", "cover")) == Data([9]))
        }
    }

    @Test("a large external value lies in a file, which goes when the value is replaced")
    func externalFiles() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let library = try StoreFixture(at: url)
            try library.insert("Book", [["isbn": "1", "cover": Data(count: 200_000)]])
            let external = SQLiteStoreFiles(url).externalDataFolder
            #expect(try FileManager.default.contentsOfDirectory(atPath: external.path).count == 1)
            let row = try #require(try library.rows("Book").first)
            try library.update(row, ["cover": Data([1, 2])])
            #expect(try FileManager.default.contentsOfDirectory(atPath: external.path).isEmpty)
            let changed = try #require(try library.rows("Book").first)
            #expect(changed.data(library.slot("Book", "cover")) == Data([1, 2]))
            #expect(changed.version == 2)
        }
    }

    @Test("an update of a row that another context changed is a conflict, and nothing of the save is written")
    func updateConflict() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let mine = try StoreFixture(at: url)
            let keys = try mine.insert("Book", [["isbn": "1", "title": "a"], ["isbn": "2", "title": "b"]])
            let theirs = try StoreFixture(at: url)
            let rows = try mine.rows("Book", sort: [NSSortDescriptor(key: "isbn", ascending: true)])
            try theirs.update(
                try #require(try theirs.rows("Book", NSPredicate(format: "isbn == '1'")).first), ["title": "x"])
            let changes = ChangeSet(updated: [
                mine.change("Book", rows[0], ["title": "mine"]), mine.change("Book", rows[1], ["title": "mine"]),
            ])
            let conflicts = try #require(throws: SaveConflicts.self) { try mine.store.commit(changes) }
            #expect(conflicts.conflicts.map(\.key) == [keys[0]])
            #expect(conflicts.conflicts.first?.found?.string(mine.slot("Book", "title")) == "x")
            #expect(try theirs.strings("Book", "title") == ["b", "x"])
        }
    }

    @Test("a row that another context deleted is a conflict without a present row")
    func deletedRowConflicts() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let mine = try StoreFixture(at: url)
            let keys = try mine.insert("Tag", [["label": "a"]])
            let row = try #require(try mine.rows("Tag").first)
            let theirs = try StoreFixture(at: url)
            try theirs.store.commit(ChangeSet(deleted: [.init(key: keys[0], row: nil)]))
            let conflicts = try #require(throws: SaveConflicts.self) { try mine.update(row, ["label": "b"]) }
            #expect(conflicts.conflicts.count == 1)
            #expect(conflicts.conflicts.first?.found == nil)
        }
    }

    @Test("broken uniqueness constraints are all found, with the rows they clash with")
    func constraintConflicts() throws {
        let library = try StoreFixture(at: nil)
        let keys = try library.insert("Book", [["isbn": "1"], ["isbn": "2"]])
        let conflicts = try #require(throws: SaveConflicts.self) {
            try library.insert("Book", [["isbn": "3"], ["isbn": "1"], ["isbn": "2"]])
        }
        #expect(conflicts.constraintConflicts.map(\.constraint) == [["isbn"], ["isbn"]])
        #expect(conflicts.constraintConflicts.map(\.existing) == keys)
        #expect(try library.rows("Book").count == 2)
    }

    @Test("a unique value can move from a deleted row to a new one in one save")
    func uniqueValueMoves() throws {
        let library = try StoreFixture(at: nil)
        let keys = try library.insert("Book", [["isbn": "1"]])
        let root = library.entity("Book").rootIndex
        let first = try #require(try library.store.reserveKeys([root: 1])[root]?.first?.lowerBound)
        try library.store.commit(
            ChangeSet(
                inserted: [library.row("Book", key: first, ["isbn": "1"])], deleted: [.init(key: keys[0], row: nil)]))
        #expect(try library.rows("Book").map(\.key) == [first])
    }

    @Test("members of a to-many relationship are found by key, in order where there is one, and across sub-entities")
    func members() throws {
        let library = try StoreFixture(at: nil)
        let person = try library.insert("Person", [["name": "P"]])[0]
        let author = try library.insert("Author", [["name": "A", "penName": "B"]])[0]
        #expect(person.key + 1 == author.key)
        let shelf = try library.insert("Shelf", [["room": "hall"]])[0]
        let order = try #require(
            library.entity("Book").slots.firstIndex {
                if case .order(let slot) = $0.role { slot == library.slot("Book", "shelf") } else { false }
            })
        let books = try library.insert(
            "Book",
            [
                ["isbn": "1", "author": person, "shelf": shelf, "\(order)": 3072],
                ["isbn": "2", "author": author, "shelf": shelf, "\(order)": 2048],
            ])
        #expect(try library.store.members(of: library.toMany("Person", "books"), owner: person) == [books[0]])
        #expect(try library.store.members(of: library.toMany("Author", "books"), owner: author) == [books[1]])
        #expect(try library.store.members(of: library.toMany("Shelf", "order"), owner: shelf) == [books[1], books[0]])
        let all = try library.store.members(of: library.toMany("Person", "books"), owners: [person, author])
        #expect(all == [person.key: [books[0]], author.key: [books[1]]])
        let row = try #require(try library.rows("Book", NSPredicate(format: "isbn == '2'")).first)
        let slot = library.slot("Book", "author")
        #expect(row.int(slot) == author.key)
        #expect(row.int(slot + 1) == Int64(author.layoutIndex))
    }

    @Test("pairs of many-to-many relationships are linked and unlinked, also when both ends are the same relationship")
    func joins() throws {
        let library = try StoreFixture(at: nil)
        let books = try library.insert("Book", [["isbn": "1"], ["isbn": "2"], ["isbn": "3"]])
        let tags = try library.insert("Tag", [["label": "a"], ["label": "b"]])
        let bookTags = library.toMany("Book", "tags")
        let tagBooks = library.toMany("Tag", "books")
        try library.store.commit(
            ChangeSet(joins: [
                .init(toMany: bookTags, owner: books[0], added: tags),
                .init(toMany: bookTags, owner: books[1], added: [tags[0]]),
            ]))
        #expect(try Set(library.store.members(of: bookTags, owner: books[0])) == Set(tags))
        #expect(try Set(library.store.members(of: tagBooks, owner: tags[0])) == Set(books[..<2]))
        try library.store.commit(ChangeSet(joins: [.init(toMany: bookTags, owner: books[0], removed: [tags[0]])]))
        #expect(try library.store.members(of: tagBooks, owner: tags[0]) == [books[1]])
        let related = library.toMany("Book", "related")
        try library.store.commit(ChangeSet(joins: [.init(toMany: related, owner: books[0], added: [books[2]])]))
        #expect(try library.store.members(of: related, owner: books[2]) == [books[0]])
        #expect(try library.store.members(of: related, owner: books[0]) == [books[2]])
        try library.store.commit(ChangeSet(deleted: [.init(key: books[0], row: nil)]))
        #expect(try library.store.members(of: related, owner: books[2]).isEmpty)
        #expect(try library.store.members(of: tagBooks, owner: tags[1]).isEmpty)
    }

    @Test("Keys are handed out once, to any store that asks")
    func keysAreUnique() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let one = try StoreFixture(at: url)
            let two = try StoreFixture(at: url)
            let root = one.entity("Tag").rootIndex
            let a = try #require(try one.store.reserveKeys([root: 5])[root]?.first?.lowerBound)
            let b = try #require(try two.store.reserveKeys([root: 5])[root]?.first?.lowerBound)
            let c = try #require(try one.store.reserveKeys([root: 1])[root]?.first?.lowerBound)
            #expect([a, b, c].map { $0 & ObjectKey.primaryKeyMask } == [1, 6, 11])
            #expect(a >> ObjectKey.primaryKeyBits == 1)
        }
    }

    @Test("a save that finds the disk full writes nothing and says so")
    func fullDisk() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            _ = try StoreFixture(at: url)
            let library = try StoreFixture(
                at: url, options: [NSSQLitePragmasOption: ["max_page_count": "40", "cache_size": "10"]])
            try library.insert("Book", [["isbn": "1"]])
            let text = String(repeating: "x", count: 100_000)
            let error = try #require(throws: NSError.self) {
                try library.insert("Book", (2..<6).map { ["isbn": "\($0)", "title": text] })
            }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSFileWriteOutOfSpaceError)
            #expect(error.localizedDescription.contains("library.sqlite"))
            #expect(try library.rows("Book").count == 1)
        }
    }

    @Test("A read sees earlier commits of every store")
    func readsAreFresh() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let one = try StoreFixture(at: url)
            let two = try StoreFixture(at: url)
            for number in 1...20 {
                try one.insert("Tag", [["label": "\(number)"]])
                #expect(try two.rows("Tag").count == number)
                #expect(try one.rows("Tag").count == number)
            }
        }
    }
}
