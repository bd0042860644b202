import Foundation
import SwiftData
import TestSupport
import Testing

/// What stops the process, with the sentence that says why.
@Suite("Misuse of SwiftData")
struct SwiftDataMisuseTests {
    @Test("The process stops with a sentence", arguments: Misuse.allCases)
    func stops(misuse: Misuse) async throws {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
            try misuse.run()
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        for part in misuse.sentence { #expect(text.contains(part), "\(text)") }
    }

    enum Misuse: String, CaseIterable, Codable, Sendable {
        case insertionElsewhere, deletionElsewhere, relationshipElsewhere, unknownClass, deletedModel, twoThreads

        var sentence: [String] {
            switch self {
            case .insertionElsewhere: ["Illegal attempt to insert a model in to a different model context"]
            case .deletionElsewhere: ["Illegal attempt to delete a model of a different model context"]
            case .relationshipElsewhere:
                [
                    "Illegal attempt to establish a relationship between models of different contexts", "/Cabinet/",
                    "/Binder/",
                ]
            case .unknownClass: ["The container has no class", "Stranger"]
            case .deletedModel: ["Property 'title' of entity 'Cabinet' cannot be set", "has been deleted"]
            case .twoThreads:
                [
                    "A ModelContext is used by two threads at once: fetch(_:) begins while transaction(block:) runs",
                    "Give each thread a context of its own",
                ]
            }
        }

        func run() throws {
            let container = try CabinetStore.inMemory()
            let (one, two) = (ModelContext(container), ModelContext(container))
            let cabinet = Cabinet("A")
            one.insert(cabinet)
            try one.save()
            switch self {
            case .insertionElsewhere: two.insert(cabinet)
            case .deletionElsewhere: two.delete(cabinet)
            case .relationshipElsewhere:
                let binder = Binder("P")
                two.insert(binder)
                binder.cabinet = cabinet
            case .unknownClass: one.insert(Stranger("S"))
            case .deletedModel:
                one.delete(cabinet)
                try one.save()
                guard cabinet.code == "A" else { return }
                cabinet.title = "x"
            case .twoThreads:
                let context = Shared(one)
                let isRunning = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    try? context.value.transaction {
                        isRunning.signal()
                        DispatchSemaphore(value: 0).wait()
                    }
                }
                isRunning.wait()
                _ = try one.fetch(FetchDescriptor<Cabinet>())
            }
        }
    }
}

/// A context that a test uses on several threads on purpose.
struct Shared: @unchecked Sendable {
    let value: ModelContext
    init(_ value: ModelContext) { self.value = value }
}
