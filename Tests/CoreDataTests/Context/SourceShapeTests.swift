import CoreData
import TestSupport
import Testing

/// The conformance tests of the classes' shapes, asked of the compiler in both language modes.
@Suite("A Mac's source compiles", .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct SourceShapeTests {
    /// Stands for what the plugin writes and for the model's classes.
    private static let stubs = """
        import CoreData
        typealias NSExpression = CoreData.NSExpression
        typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
        typealias NSCompoundPredicate = CoreData.NSCompoundPredicate
        extension Bundle { static var module: Bundle { .main } }
        public class Trip: NSManagedObject {
            var title = ""
            func addToStops(_ stop: Stop) {}
            @nonobjc class func fetchRequest() -> NSFetchRequest<Trip> { NSFetchRequest(entityName: "Trip") }
        }
        public class Stop: NSManagedObject {
            var place: String?
            var nights: Int16 = 0
            var rating = 0.0
        }
        """

    private func compile(_ text: String, _ files: [String], mode: Int) throws -> Toolchain.Outcome {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("Program.swift")
        try Data(text.utf8).write(to: file)
        let tests = Toolchain.package.appendingPathComponent("Tests/ConformanceTests")
        return try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            ["-swift-version", "\(mode)", "-typecheck", "-module-name", "ConformanceTests", "-parse-as-library"]
                + Toolchain.importing + [file.path] + files.map { tests.appendingPathComponent($0).path })
    }

    @Test("The source compiles with every member called, overridden, witnessed and used as a value", arguments: [5, 6])
    func shapes(mode: Int) throws {
        let shapes = try FileManager.default.contentsOfDirectory(
            atPath: Toolchain.package.appendingPathComponent("Tests/ConformanceTests/Shapes").path)
        #expect(shapes.contains("ContextShapeTests.swift"))
        let outcome = try compile(
            Self.stubs, ["JournalStore.swift", "AppleSourceTests.swift"] + shapes.sorted().map { "Shapes/\($0)" },
            mode: mode)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test("perform(_:) witnesses a method that takes any block, in Swift 5 mode")
    func witness() throws {
        let text = """
            import CoreData
            protocol Queued { func perform(_ block: @escaping () -> Void) }
            extension NSManagedObjectContext: Queued {}
            extension NSPersistentStoreCoordinator: Queued {}
            """
        #expect(try compile(text, [], mode: 5).status == 0)
    }
}
