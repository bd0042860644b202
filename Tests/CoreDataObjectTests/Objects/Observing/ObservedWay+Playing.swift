import TestSupport
import Testing

@testable import CoreData

// Both language modes play the table: `ObservedModeTests` has links to its files.
extension ObservedWay {
    /// Plays each way on a stage of its own, and expects what it fires.
    static func playAll() throws {
        let library = try Library(model: ObservedStage.model())
        for way in all where library.kind.has(way) {
            let context = library.context()
            let stage = try context.performAndWait {
                context.observesProperties = true
                let stage = try ObservedStage(context, library)
                try way.prepare(stage)
                stage.begin()
                if !way.isAutomatic { try way.change(stage) }
                return Held((seen: way.isAutomatic ? nil : stage.end(), stage: stage))
            }.value
            if way.isAutomatic { try way.change(stage.stage) }
            let held = Held(stage)
            context.performAndWait {
                let seen = held.value.seen ?? held.value.stage.end()
                #expect(seen.fired.keys.sorted() == way.fires, "\(way.name)")
                #expect(seen.fired.values.allSatisfy { $0 == 1 }, "\(way.name): \(seen.fired)")
                #expect(seen.faults == [], "\(way.name)")
                context.undoManager = nil
                context.rollback()
            }
        }
    }
}

extension StoreKind {
    fileprivate func has(_ way: ObservedWay) -> Bool {
        switch way.needs {
        case .any: true
        case .tables: hasTables
        case .database: isDatabase
        }
    }
}
