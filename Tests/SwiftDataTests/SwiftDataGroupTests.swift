import CoreData
import Foundation
import SwiftData
import Testing

/// Groups and aggregates, which a context of models leaves to its managed object context.
@Suite("Groups and aggregates beside SwiftData")
struct SwiftDataGroupTests {
    @Test("The managed object context counts and sums by groups")
    func groups() throws {
        let context = ModelContext(
            try ModelContainer(for: Price.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for cents in [3, 5, 3, 5, 3] { context.insert(Price(cents: cents)) }
        try context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Price")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["cents"]
        let sum = NSExpressionDescription()
        (sum.name, sum.resultType) = ("sum", .integer64)
        sum.expression = CoreData.NSExpression(
            forFunction: "sum:", arguments: [CoreData.NSExpression(forKeyPath: "cents")])
        request.propertiesToFetch = ["cents", sum]
        request.sortDescriptors = [NSSortDescriptor(key: "cents", ascending: true)]
        let groups = try context.managedObjectContext.fetch(request)
        #expect(groups.map { $0["cents"] as? Int } == [3, 5])
        #expect(groups.map { $0["sum"] as? Int } == [9, 10])
    }
}
