import CoreData
import TestSupport
import Testing

@testable import CoreDataModelCompiler

@Suite(
    "The plugin's list of methods that are called by name",
    .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct NamedMethodTests {
    /// The elements of the list as `Class name`.
    private func elements(_ module: SampleModule) throws -> [String] {
        try module.moduleText().split(separator: "\n").compactMap { line in
            guard line.contains("NamedMethod(of: ") else { return nil }
            let parts = line.split(separator: "NamedMethod(of: ")[1].split(separator: "\"")
            return "\(parts[0].dropLast(7)) \(parts[1])"
        }
    }

    private func elements(of files: [String: String]) throws -> [String] {
        let module = try SampleModule("Kit", files)
        try module.run()
        return try elements(module)
    }

    @Test("Validations that take a value or its place, in classes, subclasses and extensions of any file")
    func validations() throws {
        let files = [
            "Book.swift": """
            import CoreData
            class Base: NSManagedObject {
                #if canImport(ObjectiveC)
                @objc
                #endif
                func validateA(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
                func validateB(_ value: inout Any?) throws {}
                func validateC(_ value: UnsafeMutablePointer<String?>) throws(CocoaError) {}
                func validateD(_ value: Any?) throws {}
                func validateE(_ value: AutoreleasingUnsafeMutablePointer<NSString?>?) throws {}
                func validateF(_ value: String) throws {}
                func validateG(_ value: inout Any?) {}
                func validate(_ value: inout Any?) throws {}
                func validated(_ value: inout Any?) throws {}
                func validateH(from value: inout Any?) throws {}
                static func validateI(_ value: inout Any?) throws {}
                func validateJ<T>(_ value: inout T?) throws {}
                func validateK(_ value: inout Any?) async throws {}
                override func validateValue(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey k: String) throws {}
            }
            """,
            "Sub.swift": """
            import CoreData
            final class Sub: Base { override func validateA(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {} }
            """,
            "More.swift": """
            extension Sub { func validateL(_ value: inout String?) throws {} }
            enum Space { class Inner: Base { func validateM(_ value: Any?) throws {} } }
            class Other: Thing { func validateN(_ value: Any?) throws {} }
            struct Plain { func validateO(_ value: Any?) throws {} }
            """,
        ]
        #expect(
            try elements(of: files) == ["A", "B", "C", "D", "E"].map { "Base validate\($0):error:" } + [
                "Sub validateL:error:", "Space.Inner validateM:error:",
            ])
    }

    @Test(
        "Properties and methods of keys; what another file cannot call without a word more is left out"
    )
    func keys() throws {
        let source = """
            import CoreData
            class Book: NSManagedObject {
                @NSManaged var title: String?
                var name: String { "" }
                var both: Int { get { 1 } set { } }
                var stored: [String: Int]?
                var watched: Int = 1 { didSet { } }
                private(set) var half: Int
                let fixed: Date
                func isLong() -> Bool { true }
                func getWords() -> [String] { [] }
                func setMark(_ mark: Int?) { }
                func settle(_ mark: Int) { }
                func work() { }
                func over() -> Int { 1 }
                func over() -> String { "" }
                func failing() throws -> Int { 1 }
                func waiting() async -> Int { 1 }
                func any<T>() -> T? { nil }
                var slow: Int { get async { 1 } }
                var block: () -> Void { {} }
                private var hidden: Int { 1 }
                static var common: Int { 1 }
                class func shared() -> Int { 1 }
                @MainActor var screen: Int { 1 }
                @available(*, deprecated) var old: Int { 1 }
                override var description: String { "" }
            }
            @MainActor extension Book { var shown: Int { 1 } }
            extension Book { #if DEBUG
                var last: Int { 1 }
                #endif
            }
            class Generic<T: NSManagedObject>: NSManagedObject { var thing: T? { nil } }
            private class Secret: NSManagedObject { var word: Int { 1 } }
            @MainActor class Screen: NSManagedObject { var width: Int { 1 } }
            nonisolated class Free: NSManagedObject { var one: Int { 1 } }
            extension Free { var two: Int { 1 }; nonisolated var three: Int { 1 } }
            nonisolated extension Free { var four: Int { 1 } }
            """
        let names = [
            "name", "both", "setBoth:", "stored", "setStored:", "watched", "setWatched:", "half", "fixed", "isLong",
            "getWords", "setMark:", "last",
        ]
        #expect(
            try elements(of: ["Book.swift": source])
                == names.map { "Book \($0)" } + ["one", "three", "four"].map { "Free \($0)" })
    }

    @Test("Functions of policies and migration managers have the names of Objective-C")
    func functions() throws {
        let source = """
            import CoreData
            class Policy: NSEntityMigrationPolicy {
                func join(_ a: String?, with b: String = "") -> String { "" }
                func year(of date: Date) -> Int { 1 }
                func note(text: String) {}
                func now() -> Date { Date() }
                func fail(_ a: Int) throws {}
                func map(_ body: (Int) -> Int) -> Int { 1 }
                func change(_ value: inout Int) {}
                func list(_ values: Int...) -> Int { 1 }
                var count: Int { 1 }
            }
            class Manager: NSMigrationManager { func tag(_ object: NSManagedObject) -> String { "" } }
            """
        #expect(
            try elements(of: ["Policy.swift": source])
                == ["join:with:", "yearOf:", "noteWithText:", "now"].map { "Policy \($0)" } + ["Manager tag:"])
    }

    @Test("Classes of other modules count, with their import, where they are public")
    func otherModules() throws {
        let base = try SampleModule(
            "Base",
            [
                "Base.swift": """
                import CoreData
                open class Root: NSManagedObject {}
                class Own: NSManagedObject {}
                """
            ])
        var kit = try SampleModule(
            "Kit",
            [
                "Kit.swift": """
                internal import Base
                class Book: Root { func validateTitle(_ value: Any?) throws {} }
                extension Root { var kind: Int { 1 } }
                extension Own { var kind: Int { 1 } }
                """
            ])
        kit.dependencies = [base]
        try kit.run()
        #expect(try elements(kit) == ["Book validateTitle:error:", "Root kind"])
        #expect(try kit.moduleText().contains("\nimport CoreData\ninternal import Base\n"))
        #expect(
            try kit.moduleText().contains(
                registration("Kit", "Kit.CoreDataNamedMethods", "Kit.CoreDataNamedMethods.validate")))
    }

    @Test("A validation that the list cannot call gets a warning; a module without such methods has no list")
    func hidden() throws {
        let source = """
            import CoreData
            class Book: NSManagedObject {
                private func validateA(_ value: Any?) throws {}
                @MainActor func validateB(_ value: inout Any?) throws {}
            }
            @MainActor extension Book { func validateC(_ value: Any?) throws {} }
            private class Hidden: NSManagedObject { func validateD(_ value: Any?) throws {} }
            class Generic<T>: NSManagedObject { func validateE(_ value: Any?) throws {} }
            nonisolated class Free: NSManagedObject {}
            extension Free { func validateF(_ value: Any?) throws {} }
            class Plain { private func validateG(_ value: Any?) throws {} }
            """
        let module = try SampleModule("Kit", ["Book.swift": source])
        let warnings = try module.run()
        #expect(
            warnings.map { $0.split(separator: "'").dropFirst().first.map(String.init) } == [
                "validateA", "validateB", "validateC", "validateD", "validateE", "validateF",
            ])
        #expect(
            warnings.first?.hasSuffix(
                "Book.swift:3:18: warning: validation does not call 'validateA': it has to be internal, in a class "
                    + "without parameters, and of no actor") == true)
        #expect(try !module.moduleText().contains("NamedMethod"))
        #expect(try module.moduleText().contains(registration("Kit")))
    }

    @Test("A module with a list by hand gets no other, and the program names it")
    func ownList() throws {
        let source = """
            import CoreData
            class Book: NSManagedObject { func validateTitle(_ value: Any?) throws {} }
            final class CoreDataNamedMethods: NamedMethodList {
                static var methods: [NamedMethod] { [] }
            }
            """
        let module = try SampleModule("Kit", ["Book.swift": source])
        try module.run()
        #expect(try elements(module) == [])
        #expect(
            try module.moduleText().contains(
                registration("Kit", "Kit.CoreDataNamedMethods", "Kit.CoreDataNamedMethods.validate")))
    }

    /// How generated code leaves names in the program.
    private func registration(_ names: String...) -> String {
        let bytes: [UInt8] = names.flatMap { Array($0.utf8) + [0] }
        return "= (" + bytes.map { String($0) }.joined(separator: ", ") + ")\n"
    }
}
