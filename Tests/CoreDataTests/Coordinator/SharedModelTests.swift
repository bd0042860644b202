import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("One model for several coordinators", .leavesNothingBehind)
struct SharedModelTests {
    @Test("a model with a relationship without an inverse can be given to a second coordinator")
    func secondCoordinator() throws {
        let model = LibraryModel.make()
        #expect(model.entitiesByName["Shelf"]?.relationshipsByName["bookmarks"]?.inverseRelationship == nil)
        for _ in 0..<2 {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        }
    }

    @Test("many threads may give the same fresh model to their coordinators at once")
    func manyThreads() {
        for _ in 0..<50 {
            let model = LibraryModel.make()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                #expect(coordinator.managedObjectModel === model)
            }
        }
    }
}
