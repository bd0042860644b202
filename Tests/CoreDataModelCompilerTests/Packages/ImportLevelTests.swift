import CoreData
import TestSupport
import Testing

@testable import CoreDataModelCompiler

@Suite(
    "Access levels of imports", .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct ImportLevelTests {
    private static let model = """
        <entity name='Shelf' representedClassName='.Shelf' codeGenerationType='class'>
        <attribute name='url' optional='YES' attributeType='URI'/></entity>
        <entity name='Book' representedClassName='.Book'>
        <attribute name='title' optional='YES' attributeType='String'/>
        <attribute name='date' optional='YES' attributeType='Date'/>
        <attribute name='request' optional='YES' attributeType='Transformable'/>
        <attribute name='url' optional='YES' attributeType='URI'/></entity>
        """

    /// A module whose files import with one level and declare for it.
    private func module(importing level: String, declaring access: String) throws -> SampleModule {
        var module = try SampleModule(
            "Kit",
            [
                "Book.swift": """
                \(level)import CoreData
                \(access) class Book: NSManagedObject {
                    @NSManaged \(access) var title: String?
                    @NSManaged \(access) var date: Date?
                    @NSManaged \(access) var request: NSFetchRequest<NSManagedObject>?
                    \(access) func matches(_ expression: NSExpression) {}
                }
                """,
                "Link.swift": """
                \(level)import Foundation
                extension Book { @NSManaged \(access) var url: URL? }
                """,
                "Words.swift": """
                \(level)import Foundation
                internal import Synchronization
                \(access) func count(_ data: Data) {}
                extension Book { @NSManaged var primitiveTitle: String? }
                """,
                "Store.swift": "\(level)import CoreData\n\(access) func keep(_ object: NSManagedObject) {}\n",
            ], model: Self.model)
        module.unplanned = ["Link.swift", "Words.swift"]
        try module.run()
        return module
    }

    @Test(
        "Generated files agree with those of the target, without a warning, in both language modes",
        arguments: [
            ("", "public", "5"), ("", "internal", "6"), ("public ", "public", "6"), ("package ", "package", "5"),
            ("package ", "package", "6"), ("internal ", "internal", "5"),
        ])
    func levels(level: String, access: String, languageMode: String) throws {
        // With the first of these an import without a level is internal.
        let features = ["InternalImportsByDefault", "MemberImportVisibility"].flatMap {
            ["-enable-upcoming-feature", $0]
        }
        let module = try module(importing: level, declaring: access)
        let outcome = try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            [
                "-typecheck", "-warnings-as-errors", "-parse-as-library", "-module-name", "Kit", "-package-name",
                "sample", "-swift-version", languageMode,
            ] + (languageMode == "6" ? features : []) + Toolchain.importing + module.compiledFiles,
            in: module.folder.url)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test("An import keeps its level only where a declaration of that level may need it")
    func need() throws {
        let source = """
            public import CoreData
            public import Foundation
            @preconcurrency public import Base
            package import Other
            public class Book: NSManagedObject {
                @NSManaged public var title: String?
                @NSManaged public var date: Date?
                @NSManaged var kind: Kind
            }
            """
        let base = ScannedModule(
            name: "Base", files: [DeclarationScanner.scan(source: "public enum Kind: Int {}", path: "Base.swift")])
        let file = DeclarationScanner.scan(source: source, path: "Book.swift")
        let homes = DeclaringModules(ScannedModule(name: "Kit", files: [file]), dependencies: [base])
        func lines(_ files: [ScannedFile]) -> [String] {
            ImportWriter(files).lines(of: [file], for: file.members, except: "Kit", declaringModules: homes)
        }
        let kept = "public import Foundation"
        #expect(
            lines([file]) == [
                "internal import CoreData", kept, "@preconcurrency internal import Base", "internal import Other",
            ])
        let plain = DeclarationScanner.scan(source: "import CoreData\nimport Base", path: "Other.swift")
        #expect(
            lines([file, plain]) == [
                "import CoreData", kept, "@preconcurrency import Base", "internal import Other",
            ])
    }
}
