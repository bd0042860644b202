import CoreData
import Foundation
import Observation
import Testing

// Code of Observing.md.
@Suite("Code of Observing")
struct ObservingSnippets {
    // snippet: a tracking
    @MainActor static func follow(_ note: NSManagedObject, in context: NSManagedObjectContext) {
        context.observesProperties = true
        withObservationTracking {
            print(note.value(forKey: "text") ?? "")
        } onChange: {
            // The text is still the old one here, and the tracking has ended.
            print("the text changes")
        }
    }
    // snippet end

    // snippet: the states of a value
    @MainActor static func lengths(of note: NSManagedObject) -> some AsyncSequence<Int, Never> {
        Observations { (note.value(forKey: "text") as? String)?.count ?? 0 }
    }
    // snippet end

    // snippet: an observation of one property
    static func unsaved(_ context: NSManagedObjectContext) -> NSKeyValueObservation {
        context.observe(\.hasChanges, options: [.initial, .new]) { _, change in
            print(change.newValue == true ? "unsaved" : "saved")
        }
    }
    // snippet end

    @Test("The states of a value come one by one, and a context says when it is saved")
    @MainActor
    func observed() async throws {
        let container = try openNotes(at: "/dev/null")
        let context = container.viewContext
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("a", forKey: "text")
        Self.follow(note, in: context)
        let token = Self.unsaved(context)
        var seen: [Int] = []
        for await length in Self.lengths(of: note) {
            seen.append(length)
            if seen.count == 3 { break }
            note.setValue(String(repeating: "a", count: length + 1), forKey: "text")
        }
        #expect(seen == [1, 2, 3])
        token.invalidate()
        context.rollback()
    }
}
