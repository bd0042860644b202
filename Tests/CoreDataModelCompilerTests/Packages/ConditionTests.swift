import CoreData
import TestSupport
import Testing

@testable import CoreDataModelCompiler

@Suite(
    "Members behind conditions of compilation",
    .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct ConditionTests {
    /// The numbers of the members that get accessors, each behind one condition.
    private func accessors(behind conditions: [String], flags: [String] = []) throws -> [Int] {
        let members = conditions.enumerated().map { "#if \($1)\n@NSManaged var p\($0): Int\n#endif" }
        let source = "import CoreData\nclass Book: NSManagedObject {\n\(members.joined(separator: "\n"))\n}\n"
        var module = try SampleModule("Kit", ["Book.swift": source])
        module.conditions = flags
        module.dependencies = [try SampleModule("CKit", [:]), try SampleModule("Base", ["Base.swift": "struct S {}"])]
        let warnings = try module.run()
        #expect(warnings.isEmpty)
        let text = try module.accessors(ofFile: "Book.swift")
        return conditions.indices.filter { text.contains("_managed_Kit_Book_p\($0):") }
    }

    @Test("A file that is there only where the framework can be imported gets its accessors")
    func guardedFile() throws {
        let source = """
            import Foundation
            #if canImport(CoreData)
            import CoreData
            public class A: NSManagedObject { @NSManaged public var name: String? }
            #endif
            """
        let module = try SampleModule("Kit", ["A.swift": source])
        try module.run()
        #expect(try module.accessors(ofFile: "A.swift").contains("$s3Kit1AC4nameSSSgvg"))
    }

    @Test("What the compiler, the package and the flags of any build let through has accessors")
    func compiled() throws {
        let conditions = [
            "canImport(CoreData)", "canImport(Base)", "canImport(CKit)", "canImport(Foundation) && os(Linux)",
            "os(macOS) || os(Linux)", "!os(iOS)", "swift(>=5)", "swift(>=6)", "compiler(>=6.2)", "SWIFT_PACKAGE",
            "!targetEnvironment(simulator)", "DEBUG", "!DEBUG", "KNOWN", "TRAIT", "!TRAIT && !DEBUG",
            "os(Linux) /* here */ && DEBUG // now", "(os(macOS)\n|| os(Linux))", "os(macOS) || TRAIT && OTHER", "true",
            "canImport(UIKit)\n#elseif TRAIT\n#else",
        ]
        #expect(try accessors(behind: conditions, flags: ["KNOWN"]) == Array(conditions.indices))
    }

    @Test("What no build on Linux has gets no accessors")
    func leftOut() throws {
        #expect(
            try accessors(behind: [
                "os(macOS)", "canImport(UIKit)", "swift(<4)", "targetEnvironment(simulator)", "false", "compiler(>=99)",
                "TRAIT && os(iOS)", "!canImport(CoreData)",
            ]).isEmpty)
    }

    @Test("Nested conditions count together, and those of a type of another module are its own")
    func nested() throws {
        let base = try SampleModule(
            "Base",
            [
                "Kind.swift": """
                #if canImport(CoreData)
                    import CoreData
                    public typealias Kind = Int
                #else
                    public typealias Kind = String
                #endif
                """
            ])
        var module = try SampleModule(
            "Kit",
            [
                "A.swift": """
                #if canImport(CoreData)
                import CoreData
                import Base
                class A: NSManagedObject {
                    #if TRAIT
                        #if DEBUG
                            @NSManaged var a: Kind
                        #else
                            @NSManaged var a: Set<Kind>
                        #endif
                    #endif
                }
                #endif
                """
            ])
        module.dependencies = [base]
        try module.run()
        let text = try module.accessors(ofFile: "A.swift")
        #expect(
            ["$s3Kit1AC1aSivg", "$s3Kit1AC1aShySiGvg"].map(text.contains) == [true, true], "\(text)")
        #expect(text.contains("#if (canImport(CoreData))\n#if (TRAIT)\n#if !(DEBUG)\n"))
    }
}
