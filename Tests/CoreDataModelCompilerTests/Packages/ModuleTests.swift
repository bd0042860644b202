import CoreData
import TestSupport
import Testing

@testable import CoreDataModelCompiler

@Suite(
    "The plugin's output for a whole module",
    .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct ModuleTests {
    private func text(_ files: [String: String]) throws -> String {
        let module = try SampleModule("Kit", files)
        try module.run()
        return try module.moduleText()
    }

    @Test("Aliases for the types of Foundation that the target names, as public as they may have to be")
    func aliases() throws {
        let text = try text([
            "A.swift": "import CoreData\npublic func f(_ e: NSExpression) {}",
            "B.swift": "import CoreData\nlet p = NSCompoundPredicate(type: .and, subpredicates: [])",
        ])
        #expect(text.contains("public import CoreData\npublic typealias NSExpression = CoreData.NSExpression\n"))
        #expect(text.contains("\ninternal typealias NSCompoundPredicate = CoreData.NSCompoundPredicate\n"))
        #expect(!text.contains("NSComparisonPredicate"))
    }

    @Test("No alias in a target that does not import the framework, or declares the name itself")
    func none() throws {
        let declared =
            "import CoreData\nprivate typealias NSExpression = CoreData.NSExpression\nlet e = NSExpression.self"
        #expect(!(try text(["A.swift": declared]).contains("typealias")))
        #expect(!(try text(["A.swift": "import Foundation\nlet e = NSExpression.self"]).contains("typealias")))
        #expect(
            !(try text(["A.swift": "import CoreData\n// NSExpression\nlet e = \"NSExpression\""]).contains("typealias"))
        )
    }

    @Test("A target that imports Foundation only gets aliases when it depends on the framework")
    func foundationOnly() throws {
        let files = ["import Foundation\nlet e = NSExpression(forKeyPath: \"a\")"].map {
            DeclarationScanner.scan(source: $0, path: "A.swift")
        }
        let depending = ModuleWriter(module: "Kit", dependsOnFramework: true).text(for: files)
        #expect(depending.contains("\nimport CoreData\ninternal typealias NSExpression = CoreData.NSExpression\n"))
        #expect(!ModuleWriter(module: "Kit", dependsOnFramework: false).text(for: files).contains("CoreData.NS"))
        var arguments = ["module", "Kit", "compiler", "c", "folder", "f", "others", "o", "once", "p"]
        #expect(try !Job(arguments: arguments).dependsOnFramework)
        arguments += ["framework", "CoreData"]
        #expect(try Job(arguments: arguments).dependsOnFramework)
    }

    @Test("An alias reaches the package where a declaration for the package may name it")
    func packageAliases() throws {
        let text = try text([
            "A.swift": "import CoreData\npackage func f(_ e: NSExpression) {}",
            "B.swift": "import CoreData\nlet p: NSCompoundPredicate? = nil",
        ])
        #expect(
            text.contains("\npackage import CoreData\n#else\nimport CoreData\n#endif\npackage typealias NSExpression =")
        )
        #expect(text.contains("\ninternal typealias NSCompoundPredicate = CoreData.NSCompoundPredicate\n"))
    }

    @Test("The name of a module with managed classes, for the class lookup")
    func registration() throws {
        let text = try text(["A.swift": "import CoreData\nclass Book: NSManagedObject {}"])
        #expect(text.contains("managedModuleName: (UInt8, UInt8, UInt8, UInt8) = (75, 105, 116, 0)"))
        #expect(!(try self.text(["A.swift": "import CoreData\nstruct S {}"]).contains("@section")))
    }

    @Test("Every type can be named in every position beside Foundation, XCTest and Testing")
    func positions() throws {
        let module = try SampleModule(
            "KitTests",
            [
                "Tests.swift": """
                import CoreData
                import Foundation
                import Testing
                import XCTest

                struct Types {
                    let stored: NSPredicate? = NSPredicate(format: "a == %@", "x")
                    let expression: NSExpression = NSExpression(forKeyPath: "a")
                    let sorting: [NSSortDescriptor] = [.init(key: "a", ascending: true), NSSortDescriptor(key: nil, ascending: false)]
                    let operation = NSComparisonPredicate.Operator.equalTo
                    func type(of expression: NSExpression) -> NSExpression.ExpressionType { expression.expressionType }
                    func parts(_ predicate: NSPredicate) -> [Any]? { (predicate as? NSCompoundPredicate)?.subpredicates }
                    func left(_ predicate: NSComparisonPredicate?) -> NSExpression? { predicate?.leftExpression }
                }
                final class Case: XCTestCase {
                    func testAll() {
                        let comparison = NSComparisonPredicate(
                            leftExpression: NSExpression(forKeyPath: "a"), rightExpression: .init(forConstantValue: 1),
                            modifier: .direct, type: .equalTo, options: [])
                        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [comparison, NSPredicate(value: true)])
                        XCTAssertTrue(both.evaluate(with: ["a": 1]))
                    }
                }
                @Test func all() { #expect(NSExpression(format: "1 + 1").expressionType == .function) }
                """
            ])
        try module.run()
        let folder = try TemporaryFolder()
        let outcome = try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            [
                "-swift-version", "6", "-warnings-as-errors", "-typecheck", "-parse-as-library", "-module-name",
                "KitTests",
            ] + Toolchain.importing + module.compiledFiles, in: folder.url)
        #expect(outcome.status == 0, "\(outcome.text)")
    }
}
