import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Saving while saving", .leavesNothingBehind, .onEveryKindOfStore)
struct RecursiveSaveTests {
    @Test(
        "A save of the context that is being saved is an error, not a silence",
        arguments: [Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave])
    func recursiveSave(moment: Notification.Name) throws {
        let library = try Library()
        let context = library.context()
        let answer = Answer()
        let token = NotificationCenter.default.addObserver(forName: moment, object: context, queue: nil) { _ in
            do { try context.save() } catch { answer.code = (error as NSError).code }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.performAndWait {
            context.make("Author", ["name": "A"])
            try context.save()
            #expect(answer.code == NSCoreDataError)
            #expect(!context.hasChanges)
            #expect(try context.all("Author").count == 1)
        }
    }

    private final class Answer: @unchecked Sendable {  // used on the context's queue only
        var code: Int?
    }
}
