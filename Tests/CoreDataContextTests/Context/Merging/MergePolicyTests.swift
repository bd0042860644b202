import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Merge policies and conflicts with rows", .leavesNothingBehind, .onEveryKindOfStore)
struct MergePolicyTests {
    /// Two contexts that have read the same book, on coordinators of their own or on one.
    private struct Pair {
        let library: Library
        let other: Library
        let oneCoordinator: Bool
        let mine: NSManagedObjectContext
        let theirs: NSManagedObjectContext
        let book: Held<NSManagedObject>
        let rival: Held<NSManagedObject>

        init(oneCoordinator: Bool) throws {
            library = try Library()
            // Two coordinators' copies of one atomic store in memory do not meet anywhere.
            self.oneCoordinator = oneCoordinator || !library.kind.isDatabase
            other = self.oneCoordinator ? library : try library.beside()
            mine = library.context()
            theirs = other.context()
            book = try mine.performAndWait { [mine] in
                let book = mine.make("Book", ["title": "old", "pages": 1, "note": "old", "copies": 1])
                try mine.save()
                return Held(book)
            }
            rival = try theirs.performAndWait { [theirs] in
                let rival = try #require(try theirs.all("Book").first)
                #expect(rival.text("title") == "old")
                return Held(rival)
            }
        }

        /// The rival changes title and pages, the object its title and note.
        func change() throws {
            try theirs.performAndWait {
                rival.value.setValuesForKeys(["title": "theirs", "pages": 2])
                try theirs.save()
            }
            mine.performAndWait { book.value.setValuesForKeys(["title": "mine", "note": "mine"]) }
        }

        /// The saved values of the book and, where the store has it, the number of its saves.
        func row() throws -> [String: String] {
            var row: [String: String] = [:]
            let keys = ["title", "pages", "note", "copies"]
            for key in keys { row[key] = try library.saved("Book", key).first }
            if library.kind == .sqlite,
                let version = try RawDatabase(library.storeURL).integer("SELECT Z_OPT FROM ZBOOK")
            {
                row["version"] = "\(version)"
            }
            return row
        }
    }

    @Test("The constants are the policies, and every one says its type")
    func constants() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        #expect((context.mergePolicy as? NSMergePolicy) === NSMergePolicy.error)
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .mergeByPropertyObjectTrumpMergePolicyType)
        context.mergePolicy = NSMergePolicy(merge: .rollbackMergePolicyType)
        let isShared = (context.mergePolicy as? NSMergePolicy) === NSMergePolicy.rollback
        #expect(!isShared)
        let all: [(AnyObject, NSMergePolicy, UInt)] = [
            (NSErrorMergePolicy, .error, 0), (NSMergeByPropertyStoreTrumpMergePolicy, .mergeByPropertyStoreTrump, 1),
            (NSMergeByPropertyObjectTrumpMergePolicy, .mergeByPropertyObjectTrump, 2),
            (NSOverwriteMergePolicy, .overwrite, 3), (NSRollbackMergePolicy, .rollback, 4),
        ]
        for (global, policy, number) in all {
            let isSame = global === policy
            #expect(isSame)
            #expect(policy.mergeType.rawValue == number)
        }
    }

    @Test("The error policy saves nothing and lists the conflicts", arguments: [true, false])
    func errorPolicy(oneCoordinator: Bool) throws {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        try pair.change()
        try pair.mine.performAndWait {
            pair.mine.make("Tag", ["name": "not saved"])
            let error = try #require(throws: NSError.self) { try pair.mine.save() }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == 133_020)
            #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
            let conflicts = try #require(error.userInfo["conflictList"] as? [NSMergeConflict])
            let conflict = try #require(conflicts.first)
            #expect(conflicts.count == 1)
            #expect(conflict.sourceObject === pair.book.value)
            #expect(conflict.oldVersionNumber == 1)
            #expect(conflict.newVersionNumber == 2)
            #expect(conflict.objectSnapshot?["title"] as? String == "old")
            #expect(conflict.objectSnapshot?["author"] is NSNull)
            // Contexts of one coordinator find the conflict in its row cache, contexts of two coordinators in the file.
            let newest = pair.oneCoordinator ? conflict.cachedSnapshot : conflict.persistedSnapshot
            #expect(newest?["title"] as? String == "theirs")
            #expect((newest?["pages"] as? NSNumber)?.intValue == 2)
            #expect((conflict.persistedSnapshot == nil) == pair.oneCoordinator)
            if !pair.oneCoordinator { #expect(conflict.cachedSnapshot?["title"] as? String == "old") }
            #expect(pair.mine.insertedObjects.count == 1)
            #expect(pair.book.value.text("title") == "mine")
        }
        var row = try pair.row()
        let version = row.removeValue(forKey: "version")
        #expect(row == ["title": "theirs", "pages": "2", "note": "old", "copies": "1"])
        if pair.library.kind == .sqlite { #expect(version == "2") }
        #expect(try pair.library.saved("Tag", "name").isEmpty)
    }

    @Test(
        "A merge policy decides how an object that another context has changed is saved",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, ["theirs", "2", "mine"]),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["mine", "2", "mine"]),
            (.overwriteMergePolicyType, ["mine", "1", "mine"]), (.rollbackMergePolicyType, ["theirs", "2", "old"]),
        ], [true, false])
    func merging(expected: (type: NSMergePolicyType, values: [String]), oneCoordinator: Bool) throws {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        try pair.change()
        try pair.mine.performAndWait {
            pair.mine.mergePolicy = NSMergePolicy(merge: expected.type)
            pair.mine.make("Tag", ["name": "saved"])
            try pair.mine.save()
            #expect(!pair.mine.hasChanges)
            let book = pair.book.value
            #expect([book.text("title"), "\(book.number("pages") ?? 0)", book.text("note")] == expected.values)
            pair.mine.checkInvariants()
        }
        let row = try pair.row()
        #expect([row["title"], row["pages"], row["note"]] == expected.values)
        if pair.library.kind == .sqlite {
            #expect(row["version"] == (expected.type == .rollbackMergePolicyType ? "2" : "3"))
        }
        #expect(try pair.library.saved("Tag", "name") == ["saved"])
        // The next save of the same object meets no conflict.
        try pair.mine.performAndWait {
            pair.mine.mergePolicy = NSErrorMergePolicy
            pair.book.value.setValue("again", forKey: "title")
            try pair.mine.save()
        }
        #expect(try pair.row()["title"] == "again")
    }

    @Test(
        "A changed object whose row is gone: the error names version 0, the store takes it along, the object comes back",
        arguments: [
            NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ], [true, false])
    func goneRow(type: NSMergePolicyType, oneCoordinator: Bool) throws {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        let tag = try pair.mine.performAndWait {
            let tag = pair.mine.make("Tag", ["name": "t", "books": Set([pair.book.value])])
            try pair.mine.save()
            return Held(tag)
        }
        try pair.theirs.performAndWait {
            // The tag was a change of the book where relationships are part of a record.
            pair.theirs.refreshAllObjects()
            pair.theirs.delete(pair.rival.value)
            try pair.theirs.save()
        }
        try pair.mine.performAndWait {
            pair.mine.mergePolicy = NSMergePolicy(merge: type)
            let book = pair.book.value
            let shelf = pair.mine.make("Shelf", ["name": "s", "items": NSOrderedSet(object: book)])
            book.setValue("mine", forKey: "title")
            switch type {
            case .errorMergePolicyType:
                let error = try #require(throws: NSError.self) { try pair.mine.save() }
                let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
                #expect(conflict?.newVersionNumber == 0)
                #expect(conflict?.persistedSnapshot == nil)
                #expect(pair.mine.hasChanges)
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                try pair.mine.save()
                #expect(book.managedObjectContext == nil)
                #expect(shelf.texts("items", "title").isEmpty)
                #expect(tag.value.texts("books", "title").isEmpty)
                #expect(try pair.mine.all("Book").isEmpty)
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                try pair.mine.save()
                #expect(!book.objectID.isTemporaryID)
                #expect(book.text("title") == "mine")
                #expect(shelf.texts("items", "title") == ["mine"])
            }
        }
        let beside = pair.library.context()
        try beside.performAndWait {
            let books = try beside.all("Book")
            guard type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType else {
                return #expect(books.isEmpty)
            }
            let book = try #require(books.first)
            #expect(book.text("title") == "mine")
            #expect(book.number("pages") == 1)
            #expect((book.value(forKey: "shelf") as? NSManagedObject)?.text("name") == "s")
        }
    }

    @Test(
        "A deleted object whose row was changed: deleted where the object counts more, back where the store does",
        arguments: [
            NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ], [true, false])
    func deletedObject(type: NSMergePolicyType, oneCoordinator: Bool) throws {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        try pair.change()
        try pair.mine.performAndWait {
            pair.mine.mergePolicy = NSMergePolicy(merge: type)
            pair.mine.delete(pair.book.value)
            switch type {
            case .errorMergePolicyType:
                let error = try #require(throws: NSError.self) { try pair.mine.save() }
                #expect(error.code == NSManagedObjectMergeError)
                #expect(pair.mine.deletedObjects == [pair.book.value])
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                try pair.mine.save()
                #expect(!pair.book.value.isDeleted)
                #expect(pair.book.value.text("title") == "theirs")
                #expect(!pair.mine.hasChanges)
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                try pair.mine.save()
                #expect(pair.book.value.managedObjectContext == nil)
            }
        }
        let isGone = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        #expect(try pair.row().isEmpty == isGone)
    }

    @Test("An object that both sides delete is an error under the error policy only", arguments: [true, false])
    func deletedTwice(oneCoordinator: Bool) throws {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        try pair.theirs.performAndWait {
            pair.theirs.delete(pair.rival.value)
            try pair.theirs.save()
        }
        try pair.mine.performAndWait {
            pair.mine.delete(pair.book.value)
            let error = try #require(throws: NSError.self) { try pair.mine.save() }
            #expect(error.code == NSManagedObjectMergeError)
            pair.mine.mergePolicy = NSRollbackMergePolicy
            try pair.mine.save()
            #expect(pair.book.value.managedObjectContext == nil)
            #expect(!pair.mine.hasChanges)
        }
    }

    @Test("Relationships follow the row that wins: to-one, its inverse, pairs", arguments: [true, false])
    func relationships(objectWins: Bool) throws {
        let pair = try Pair(oneCoordinator: true)
        let (mine, theirs) = (pair.mine, pair.theirs)
        let authors = try mine.performAndWait {
            let first = mine.make("Author", ["name": "first"])
            let authors = [first, mine.make("Author", ["name": "mine"]), mine.make("Author", ["name": "theirs"])]
            mine.make("Tag", ["name": "theirs"])
            pair.book.value.setValue(first, forKey: "author")
            try mine.save()
            #expect(first.texts("books", "title") == ["old"])
            return Held(authors)
        }
        try theirs.performAndWait {
            theirs.refreshAllObjects()
            let book = pair.rival.value
            book.setValue(try theirs.all("Author", "name == 'theirs'").first, forKey: "author")
            book.setValue(NSSet(array: try theirs.all("Tag")), forKey: "tags")
            try theirs.save()
        }
        try mine.performAndWait {
            for author in authors.value { _ = author.texts("books", "title") }
            let book = pair.book.value
            book.setValue(authors.value[1], forKey: "author")
            mine.make("Tag", ["name": "mine", "books": NSSet(object: book)])
            mine.mergePolicy =
                objectWins ? NSMergeByPropertyObjectTrumpMergePolicy : NSMergeByPropertyStoreTrumpMergePolicy
            try mine.save()
            let winner = objectWins ? 1 : 2
            #expect(book.value(forKey: "author") as? NSManagedObject === authors.value[winner])
            for (number, author) in authors.value.enumerated() {
                #expect(author.texts("books", "title") == (number == winner ? ["old"] : []))
            }
            mine.refreshAllObjects()
            #expect(book.value(forKey: "author") as? NSManagedObject === authors.value[winner])
            #expect(authors.value[winner].texts("books", "title") == ["old"])
            // Pairs are no values of a row: both sides' additions are there.
            #expect(book.texts("tags", "name") == ["mine", "theirs"])
        }
    }

    /// A book that a rival has changed, and that the next save checks although it has no changes.
    private func watchedPair(_ oneCoordinator: Bool) throws -> Pair {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        try pair.change()
        pair.mine.performAndWait {
            pair.mine.rollback()
            pair.mine.make("Tag", ["name": "a"])
            pair.mine.detectConflicts(for: pair.book.value)
        }
        return pair
    }

    @Test("An object under detectConflicts(for:) is in conflict though it was only read", arguments: [true, false])
    func watched(oneCoordinator: Bool) throws {
        let pair = try watchedPair(oneCoordinator)
        try pair.mine.performAndWait {
            let error = try #require(throws: NSError.self) { try pair.mine.save() }
            #expect(error.code == NSManagedObjectMergeError)
            // For one save only; a policy brings the object up to date.
            pair.mine.detectConflicts(for: pair.book.value)
            pair.mine.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            try pair.mine.save()
            #expect(pair.book.value.text("title") == "theirs")
        }
        if pair.library.kind == .sqlite { #expect(try pair.row()["version"] == "2") }
    }

    @Test("An object under detectConflicts(for:) keeps its values if the policy overwrites", arguments: [true, false])
    func watchedAndOverwriting(oneCoordinator: Bool) throws {
        let pair = try watchedPair(oneCoordinator)
        try pair.mine.performAndWait {
            pair.mine.mergePolicy = NSOverwriteMergePolicy
            try pair.mine.save()
            #expect(pair.book.value.text("title") == "old")
        }
    }

    // MARK: Policies of one's own

    /// Joins the texts of both sides.
    private final class JoiningPolicy: NSMergePolicy {
        var calls = 0

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            calls += 1
            for conflict in list {
                let newest = conflict.persistedSnapshot ?? conflict.cachedSnapshot
                let title = "\(newest?["title"] ?? "") and \(conflict.sourceObject.text("title") ?? "")"
                conflict.sourceObject.setValue(title, forKey: "title")
            }
            try super.resolve(optimisticLockingConflicts: list)
        }
    }

    /// Resolves nothing itself, and refuses if `refuses` is true.
    private final class RefusingPolicy: NSMergePolicy {
        struct Refusal: Error {}
        var refuses = true
        var seen: [Any] = []

        override func resolve(mergeConflicts list: [Any]) throws {
            seen += list
            if refuses { throw Refusal() }
        }
    }

    @Test("A policy of one's own changes the object and calls super", arguments: [true, false])
    func joining(oneCoordinator: Bool) throws {
        let pair = try Pair(oneCoordinator: oneCoordinator)
        try pair.change()
        try pair.mine.performAndWait {
            let policy = JoiningPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
            pair.mine.mergePolicy = policy
            try pair.mine.save()
            #expect(policy.calls == 1)
            #expect(pair.book.value.text("title") == "theirs and mine")
            #expect(pair.book.value.number("pages") == 2)
        }
        #expect(try pair.library.saved("Book", "title") == ["theirs and mine"])
    }

    @Test("A policy that throws ends the save with its error; one that does nothing leaves the object as the winner")
    func refusing() throws {
        let pair = try Pair(oneCoordinator: false)
        try pair.change()
        try pair.mine.performAndWait {
            let policy = RefusingPolicy(merge: .errorMergePolicyType)
            pair.mine.mergePolicy = policy
            #expect(throws: RefusingPolicy.Refusal.self) { try pair.mine.save() }
            #expect(policy.seen.count == 1)
            #expect(pair.mine.updatedObjects == [pair.book.value])
            policy.refuses = false
            try pair.mine.save()
            #expect(pair.book.value.text("title") == "mine")
            #expect(pair.book.value.number("pages") == 2)
        }
        #expect(try pair.row()["title"] == "mine")
    }

    @Test("A conflict described by its snapshots alone is resolved like one that was met")
    func describedConflict() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "old", "pages": 1, "note": "old"])
            try context.save()
            book.setValuesForKeys(["title": "mine", "note": "mine"])
            let snapshot: [String: Any] = ["title": "theirs", "pages": 5, "note": "old", "author": author.objectID]
            let conflict = NSMergeConflict(
                source: book, newVersion: 2, oldVersion: 1, cachedSnapshot: snapshot, persistedSnapshot: nil)
            #expect(conflict.objectSnapshot?["title"] as? String == "old")
            try NSMergePolicy.mergeByPropertyStoreTrump.resolve(mergeConflicts: [conflict])
            #expect(book.text("title") == "theirs")
            #expect(book.text("note") == "mine")
            #expect(book.number("pages") == 5)
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(conflict.description.contains("oldVersion = 1 and newVersion = 2 and old object snapshot"))
        }
    }
}
