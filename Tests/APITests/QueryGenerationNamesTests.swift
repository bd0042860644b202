import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of query generations")
struct QueryGenerationNamesTests {
    @Test("NSQueryGenerationToken, and the members that take it, exist")
    func tokens() {
        _ = NSQueryGenerationToken.self
        let _: any (NSObject & NSCopying & NSSecureCoding).Type = NSQueryGenerationToken.self
        let _: NSQueryGenerationToken = NSQueryGenerationToken.current
        let _: KeyPath<NSManagedObjectContext, NSQueryGenerationToken?> = \.queryGenerationToken
        let _: (NSManagedObjectContext) -> (NSQueryGenerationToken?) throws -> Void =
            NSManagedObjectContext.setQueryGenerationFrom(_:)
        let _: String = NSManagedObjectContextQueryGenerationKey
        #expect(
            NSManagedObjectContext.NotificationKey.queryGeneration.rawValue == NSManagedObjectContextQueryGenerationKey)
    }
}
