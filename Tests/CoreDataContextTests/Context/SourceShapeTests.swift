import CoreData
import TestSupport
import Testing

/// Compiles the conformance tests of the classes' shapes in both language modes.
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

    /// The modes to compile in, one of them now and the other one at the next commit.
    private static func modes(_ name: String) -> [Int] { Sample.slice([5, 6], oneIn: 2, name) }

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

    @Test(
        "The source compiles with every member called, overridden, witnessed and used as a value",
        arguments: modes("a"))
    func shapes(mode: Int) throws {
        let shapes = try FileManager.default.contentsOfDirectory(
            atPath: Toolchain.package.appendingPathComponent("Tests/ConformanceTests/Shapes").path)
        #expect(shapes.contains("ContextShapeTests.swift"))
        let outcome = try compile(
            Self.stubs, ["JournalStore.swift", "AppleSourceTests.swift"] + shapes.sorted().map { "Shapes/\($0)" },
            mode: mode)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    /// Members of the framework's form, as a module has them that was written before the framework had them.
    private static let backPorted = """
        import CoreData
        extension NSManagedObjectContext {
            public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
                try withoutActuallyEscaping(block) { block in
                    var result: T?
                    performAndWait { result = try? block() }
                    return try result ?? block()
                }
            }
            public func perform<T>(
                schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
            ) async rethrows -> T { try block() }
            public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { [] }
            public func count<T>(for request: NSFetchRequest<T>) throws -> Int { 0 }
        }
        public protocol Fetchable {}
        extension Fetchable where Self: NSManagedObject {
            public static func fetchRequest() -> NSFetchRequest<Self> { NSFetchRequest(entityName: "Note") }
        }
        """

    private static let calling = """
        import BackPorted
        import CoreData
        final class Note: NSManagedObject, Fetchable {}
        func notes(in context: NSManagedObjectContext) async throws -> [Note] {
            let number = context.performAndWait { 5 }
            context.performAndWait { print(number) }
            let count = try context.performAndWait { try context.count(for: NSFetchRequest<Note>(entityName: "Note")) }
            let other = await context.perform { 5 }
            await context.perform(schedule: .enqueued) { print(count + other) }
            let request: NSFetchRequest<Note> = Note.fetchRequest()
            _ = try context.fetch(NSFetchRequest<NSFetchRequestResult>(entityName: "Note"))
            return try context.fetch(request)
        }
        """

    @Test("Members of the framework's form that another module has do not make calls ambiguous", arguments: modes("b"))
    func backPortedMembers(mode: Int) throws {
        let folder = try TemporaryFolder()
        let sources = ["BackPorted": Self.backPorted, "Program": Self.calling]
        for (name, text) in sources {
            try Data(text.utf8).write(to: folder.url.appendingPathComponent("\(name).swift"))
        }
        let compiler = try #require(Toolchain.program("swiftc"))
        for (name, output) in [
            ("BackPorted", ["-emit-module", "-o", "BackPorted.swiftmodule"]), ("Program", ["-typecheck", "-I", "."]),
        ] {
            let outcome = try Toolchain.run(
                compiler,
                ["-swift-version", "\(mode)", "-module-name", name, "-parse-as-library"] + Toolchain.importing
                    + output + ["\(name).swift"], in: folder.url)
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
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
