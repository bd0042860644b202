@testable import CoreDataPort

/// A source, and what comes of it by one rule.
struct RuleExample: Sendable {
    /// The text of `path`.
    let input: String
    /// What the text becomes; for a rule that reports, the beginning of its message, with line and column.
    let output: String
    var path = "A.swift"
    /// What lies beside it.
    var files: [String: String] = [:]
    var model: String?
    var options = PortOptions()

    init(_ input: String, _ output: String) {
        self.input = input
        self.output = output
    }

    func at(_ path: String) -> RuleExample { with { $0.path = path } }

    func beside(_ files: [String: String]) -> RuleExample { with { $0.files = files } }

    func beside(model: String) -> RuleExample { with { $0.model = model } }

    func with(_ change: (inout RuleExample) -> Void) -> RuleExample {
        var copy = self
        change(&copy)
        return copy
    }

    /// What comes of it by some rules: the text, and every message.
    func outcome(of rules: [PortRule]) throws -> (text: String, messages: [String]) {
        var all = files
        all[path] = input
        let ported = try Ported(all, model: model, options: options, rules: PortRules(rules))
        return (ported.text(path) ?? input, ported.byHand + ported.hints)
    }
}

extension RuleExample {
    private static let manifest = """
        // swift-tools-version: 5.9
        let package = Package(name: "N", targets: [.target(name: "Kit"), .testTarget(name: "KitTests")])
        """

    /// One for each rule that rewrites.
    static let rewriting: [String: RuleExample] = [
        "objc": RuleExample("@objc(N) class A: NSObject {}", "class A: NSObject {}"),
        "optional-methods": RuleExample(
            "protocol P {\n    @objc optional func saved()\n}",
            "protocol P {\n    func saved()\n}\n\nextension P {\n    func saved() {}\n}"),
        "optional-calls": RuleExample(
            "next?.controllerDidChangeContent?(list)", "next?.controllerDidChangeContent(list)"),
        "local-classes": RuleExample(
            "import CoreData\nfunc f() {\nclass A: NSManagedObject { @NSManaged var a: Int }\n}\n",
            "import CoreData\nfunc f() {\n}\n\nclass A: NSManagedObject { @NSManaged var a: Int }\n"),
        "macro-texts": RuleExample(
            "import SwiftSyntax\nlet a = \"@objc var a\"", "import SwiftSyntax\nlet a = \"var a\""),
        "overrides": RuleExample(
            "class A: B {\n}\nextension A {\n    override func f() {}\n    func g() {}\n}",
            "class A: B {\n\n    override func f() {}\n}\nextension A {\n    func g() {}\n}"),
        "comparisons": RuleExample(
            "sort(selector: #selector(NSString.localizedCompare(_:)))", "sort(selector: .localizedCompare)"),
        "named-comparisons": RuleExample("sort(selector: Selector(\"compare:\"))", "sort(selector: .compare)"),
        "getters": RuleExample("let a = NSStringFromSelector(#selector(getter: Note.title))", "let a = \"title\""),
        "written-selectors": RuleExample(
            #"let a = "\(#selector(NSManagedObject.value(forKey:)))""#, #"let a = "valueForKey:""#),
        "observers": RuleExample(
            "import CoreData\nclass A { func f() { center.addObserver(self, selector: #selector(saw), name: n, object: nil) } }",
            "import CoreData\nclass A { func f() { center.addObserver(self, selector: A.saw, name: n, object: nil) } }"),
        "timers": RuleExample(
            "Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true); func tick() {}",
            "Timer(timeInterval: 1, repeats: true, block: { _ in self.tick() }); func tick() {}"),
        "key-paths": RuleExample("let a = #keyPath(Note.title)", "let a = \"title\"").beside(model: notes),
        "guarded-imports": RuleExample(
            "import CoreData\nimport SwiftUI\nlet a = 1",
            "import CoreData\n#if canImport(SwiftUI)\nimport SwiftUI\n#endif\nlet a = 1"),
        "tests-for-mirroring": RuleExample("let a = b.c is NSPersistentCloudKitContainer", "let a = false"),
        "mirrored-containers": RuleExample(
            "import CoreData\nclass A: NSPersistentCloudKitContainer {}",
            "import CoreData\nclass A: NSPersistentContainer {}"),
        "mirroring-options": RuleExample(
            "func f() throws {\n    try a.initializeCloudKitSchema(options: [])\n}",
            "func f() throws {\n    #if canImport(CloudKit)\n    try a.initializeCloudKitSchema(options: [])\n    #endif\n}"
        ),
        "system-branches": RuleExample(
            "#if os(iOS)\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif\nf(a)",
            "#if os(iOS) || os(Linux)\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif\nf(a)"),
        "texts-with-values": RuleExample(
            "let a = String(localized: \"a \\(b)\", bundle: .module, comment: \"b\")", "let a = \"a \\(b)\""),
        "application-groups": RuleExample(
            "let a = m.default.containerURL(forSecurityApplicationGroupIdentifier: b)", "let a = (nil as URL?)"),
        "characters": RuleExample("let a = b.characters.count", "let a = b.count"),
        "classes-of-entities": RuleExample(
            "import CoreData\nlet a = NSClassFromString(b.managedObjectClassName)",
            "import CoreData\n"
                + "let a = (b.isAbstract ? nil : type(of: NSManagedObject(entity: b, insertInto: nil)) as AnyClass?)"),
        "headers": RuleExample("import Foundation.NSDate", "import Foundation"),
        "replaced-imports": RuleExample("import CoreGraphics\nlet a: CGFloat", "import Foundation\nlet a: CGFloat"),
        "logging": RuleExample(
            manifest,
            """
            // swift-tools-version: 5.9
            let package = Package(name: "N", dependencies: [.package(name: "OpenCoreData", path: "/OpenCoreData")], targets: \
            [.target(name: "Kit", dependencies: [.product(name: "OSLogging", package: "OpenCoreData", condition: \
            .when(platforms: [.linux]))]), .testTarget(name: "KitTests")])
            """
        ).at("Package.swift").beside(["Sources/Kit/A.swift": "import os.log\n"]),
        "logging-names": RuleExample(
            "import os\nlet a = os.Logger(b)",
            "#if canImport(OSLoggingCore)\nimport OSLoggingCore\n#else\nimport os\n#endif\nlet a = Logger(b)"
        ).at("Sources/Kit/A.swift").beside([
            "Package.swift": manifest.replacing(
                "targets:", with: "dependencies: [.package(url: \"https://example.org/a\", from: \"1.0.0\")], targets:")
        ]),
        "combine": RuleExample(
            "import Combine",
            """
            #if canImport(Combine)
            import Combine
            #else
            import OpenCombine
            import OpenCombineFoundation
            import OpenCombineDispatch
            #endif
            """
        ).with { $0.options.combine = true },
        "combine-merges": RuleExample(
            "import struct Combine.Publishers\nlet a = Publishers\n    .Merge(b.map { [$0, 1] }, f(c, d)).g()",
            """
            #if canImport(Combine)
            import struct Combine.Publishers
            #else
            import struct OpenCombine.Publishers
            import OpenCombineFoundation
            import OpenCombineDispatch
            #endif
            let a = [b.map { [$0, 1] }.eraseToAnyPublisher(), f(c, d).eraseToAnyPublisher()].publisher.flatMap({ $0 }).g()
            """
        ).with { $0.options.combine = true },
        "combine-names": RuleExample(
            "import struct Combine.Just\nlet a = Combine.Just(1)",
            """
            #if canImport(Combine)
            import struct Combine.Just
            #else
            import struct OpenCombine.Just
            import OpenCombineFoundation
            import OpenCombineDispatch
            #endif
            let a = Just(1)
            """
        ).with { $0.options.combine = true },
        "public-imports": RuleExample(
            "internal import CoreData\npublic func f(_ a: UndoManager) {}",
            "public import CoreData\npublic func f(_ a: UndoManager) {}"),
        "missing-imports": RuleExample("let a: NSManagedObject", "import CoreData\nlet a: NSManagedObject"),
        "request-casts": RuleExample(
            "import CoreData\nlet a = f(1) as? NSFetchRequest<Note>",
            "import CoreData\nlet a = NSFetchRequest<Note>(casting: f(1))"),
        "request-tests": RuleExample(
            "import CoreData\nlet a = b.request is NSFetchRequest<Note>",
            "import CoreData\nlet a = (NSFetchRequest<Note>(casting: b.request) != nil)"),
        "returned-requests": RuleExample(
            """
            import CoreData
            func f() -> NSFetchRequest<NSFetchRequestResult> {
                let r = Note.fetchRequest()
                return r
            }
            """,
            """
            import CoreData
            func f() -> NSFetchRequest<NSFetchRequestResult> {
                let r: NSFetchRequest<NSFetchRequestResult> = Note.fetchRequest()
                return r
            }
            """),
        "plain-requests": RuleExample(
            "import CoreData\nfunc f() { let r = Note.fetchRequest(); r.resultType = .countResultType }",
            "import CoreData\nfunc f() { let r: NSFetchRequest<any NSFetchRequestResult> = Note.fetchRequest(); "
                + "r.resultType = .countResultType }"),
        "generic-requests": RuleExample(
            "import CoreData\nfunc f<T>(_ r: NSFetchRequest<T>)\nfunc f<T: NSFetchRequestResult>(_ r: NSFetchRequest<T>)",
            "import CoreData\nfunc f<T: NSFetchRequestResult>(_ r: NSFetchRequest<T>)\n"
                + "func f<T: NSFetchRequestResult>(_ r: NSFetchRequest<T>)"),
        "bundles": RuleExample(
            "import CoreData\nlet a = Bundle(for: B.self)", "import CoreData\nlet a = Bundle.withResources(of: B.self)"),
        "qualified-names": RuleExample(
            "import CoreData\nlet a: Foundation.UndoManager", "import CoreData\nlet a: CoreData.UndoManager"),
        "own-names": RuleExample(
            "import Foundation\nimport Kit\nlet a: Predicate", "import Foundation\nimport Kit\nlet a: Kit.Predicate"
        ).at("Tests/KitTests/A.swift").beside([
            "Package.swift": manifest, "Sources/Kit/P.swift": "public struct Predicate {}",
        ]),
        "bundle-identifiers": RuleExample(
            "import Foundation\nlet a = Bundle.main.bundleIdentifier!",
            "import Foundation\nlet a = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)"),
        "texts-of-keys": RuleExample(
            "import Foundation\nlet a = b[kCFBundleNameKey as String]", "import Foundation\nlet a = b[\"CFBundleName\"]"
        ),
        "class-names": RuleExample(
            "@objc(N) class A: NSManagedObject {}\nimport CoreData\nlet a = { $0.managedObjectClassName = \"N\" }",
            "class A: NSManagedObject {}\nimport CoreData\nlet a = { $0.managedObjectClassName = NSStringFromClass(A.self) }"
        ),
        "names-of-classes": RuleExample(
            "let a = NSStringFromClass(Box<Int>.self)", "let a = String(reflecting: Box<Int>.self)"),
        "names-of-tests": RuleExample(
            "import XCTest\nclass A: XCTestCase { func f() { g(className) } }",
            "import XCTest\nclass A: XCTestCase { func f() { g(String(reflecting: type(of: self))) } }"),
        "descriptions-of-tests": RuleExample(
            "import XCTest\nlet a = type(of: self).description()",
            "import XCTest\nlet a = String(reflecting: type(of: self))"),
        "names-of-key-paths": RuleExample(
            "import CoreData\nlet a = path._kvcKeyPathString", "import CoreData\nlet a = path.managedKeyPath"),
        "units": RuleExample("let a = NSEC_PER_MSEC", "let a = 1_000_000"),
        "run-loop-modes": RuleExample(
            "CFRunLoopRunInMode(.defaultMode)",
            "#if canImport(CoreFoundation)\nimport CoreFoundation\n#endif\n"
                + "CFRunLoopRunInMode(kCFRunLoopDefaultMode)"),
        "set-literals": RuleExample("let a: NSSet = [1]", "let a: NSSet = NSSet(array: [1])"),
        "set-values": RuleExample("folder.notes = [note]", "folder.notes = NSSet(array: [note])").beside(model: notes),
        "mutable-values": RuleExample(
            "import CoreData\nlet a = note.value(forKey: k) as? NSMutableSet",
            "import CoreData\nlet a = note.mutableSetValue(forKey: k) as? NSMutableSet"),
        "empty-predicates": RuleExample("let a = NSPredicate()", "let a = NSPredicate(value: true)"),
        "argument-casts": RuleExample(
            "import CoreData\nlet a = NSPredicate(format: \"a = %@\", b as CVarArg)",
            "import CoreData\nlet a = NSPredicate(format: \"a = %@\", b)"),
        "argument-types": RuleExample(
            "import CoreData\nfunc f(_ a: CVarArg) {}", "import CoreData\nfunc f(_ a: Any) {}"),
        "argument-lists": RuleExample(
            "import CoreData\nlet a = withVaList(b) { NSPredicate(format: c, arguments: $0) }",
            "import CoreData\nlet a = NSPredicate(format: c, argumentArray: b)"),
        "argument-pointers": RuleExample(
            "import CoreData\nlet a = NSPredicate(format: c, arguments: getVaList(b))",
            "import CoreData\nlet a = NSPredicate(format: c, argumentArray: b)"),
        "error-output": RuleExample(
            "import Foundation\nfputs(a, stderr)", "import Foundation\nFileHandle.standardError.write(Data(a.utf8))"
        ).beside(["Package.swift": "// swift-tools-version: 6.0\nlet package = Package(name: \"N\")"]),
        "resource-lists": RuleExample(
            "let a = b.urls(forResourcesWithExtension: c, subdirectory: d)",
            "let a = b.urls(forResourcesWithExtension: c, subdirectory: d)?.map({ $0 as URL })"),
        "coder-classes": RuleExample("let a = T.self.classForCoder()", "let a = T.self"),
        "waits": RuleExample("import XCTest\nwait(for: [a])", "import XCTest\nwait(for: [a], timeout: .infinity)"),
        "keyed-paths": RuleExample(
            """
            import CoreData
            class Note: NSManagedObject {
                @objc dynamic var shout: String { "" }
                override func value(forUndefinedKey key: String) -> Any? { nil }
            }
            let a = NSSortDescriptor(keyPath: \\Note.shout, ascending: true)
            """,
            """
            import CoreData
            class Note: NSManagedObject {
                dynamic var shout: String { "" }
                override func value(forUndefinedKey key: String) -> Any? { nil }
            }
            let a = NSSortDescriptor(key: "shout", ascending: true)
            """),
        "keyed-properties": RuleExample(
            """
            import CoreData
            class Note: NSManagedObject {
                @objc dynamic var shout: String { "" }
            }
            let a = NSSortDescriptor(key: #keyPath(Note.shout), ascending: true)
            """,
            """
            import CoreData
            class Note: NSManagedObject {
                dynamic var shout: String { "" }

                override func value(forUndefinedKey key: String) -> Any? {
                    switch key {
                    case "shout": return shout
                    default: return super.value(forUndefinedKey: key)
                    }
                }
            }
            let a = NSSortDescriptor(key: "shout", ascending: true)
            """),
        "private-classes": RuleExample(
            "import CoreData\nprivate class A: NSManagedObject { @NSManaged var a: Int }",
            "import CoreData\nclass A: NSManagedObject { @NSManaged var a: Int }"),
        "empty-set-ups": RuleExample(
            """
            import XCTest
            @MainActor final class A: XCTestCase {
                override func setUp() async throws {
                    try await super.setUp()
                    f()
                }
            }
            """,
            """
            import XCTest
            @MainActor final class A: XCTestCase {
                override func setUp() async throws {
                    f()
                }
            }
            """
        ).at("Tests/KitTests/A.swift").beside(["Package.swift": manifest.replacing("5.9", with: "6.0")]),
        "main-actor-tests": RuleExample(
            "import XCTest\n@MainActor class A: XCTestCase { func testA() throws {} }",
            "import XCTest\n@MainActor class A: XCTestCase { func testA() async throws {} }"),
        "superclasses": RuleExample("let a = b?.superclass() as? C.Type", "let a = b?.superclass as? C.Type"),
        "security-scopes": RuleExample(
            "guard a.b.startAccessingSecurityScopedResource() else { return }\ndefer { stopAccessingSecurityScopedResource() }",
            "guard true else { return }\ndefer { () }"),
        "process-information": RuleExample(
            "let a = ProcessInfo().hostName", "let a = ProcessInfo.processInfo.hostName"),
        "folders": RuleExample(
            "import Foundation\nlet a = URL.cachesDirectory",
            "import Foundation\nlet a = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]"),
        "plain-texts": RuleExample(
            "import Foundation\nlet a = String(localized: \"b\", comment: \"c\")",
            "import Foundation\nlet a = NSLocalizedString(\"b\", comment: \"c\")"),
        "guarded-files": RuleExample(
            "import UIKit\nclass A: UIView {}\n", "#if canImport(UIKit)\nimport UIKit\nclass A: UIView {}\n#endif\n"),
        "policy-functions": RuleExample(
            """
            import CoreData
            class Policy: NSEntityMigrationPolicy {
                @objc private func all() -> [Int] { [] }
            }
            """,
            """
            import CoreData
            class Policy: NSEntityMigrationPolicy {
                private func all() -> [Int] { [] }

                override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
                    switch (name, arguments.count) {
                    case ("all", 0):
                        return all()
                    default: break
                    }
                    return try super.performFunction(name, arguments: arguments)
                }
            }
            """),
        "model-classes": RuleExample(
            "<model><entity name='Note' representedClassName='N'/></model>",
            "<model><entity name='Note' representedClassName='A'/></model>"
        ).at("M.xcdatamodel/contents").beside(["A.swift": "import CoreData\n@objc(N) class A: NSManagedObject {}"]),
        "tools-version": RuleExample(
            """
            // swift-tools-version:5.0
            let package = Package(name: "N", dependencies: [.package(path: "OpenCoreData")], targets: [.target(name: "Kit", \
            dependencies: ["OpenCoreData"], plugins: ["CoreDataModelPlugin"])])
            """,
            """
            // swift-tools-version:5.9
            let package = Package(name: "N", dependencies: [.package(path: "OpenCoreData")], targets: [.target(name: "Kit", \
            dependencies: ["OpenCoreData"], plugins: ["CoreDataModelPlugin"])])
            """
        ).at("Package.swift").beside(["Sources/Kit/A.swift": "import CoreData\n"]),
        "package": RuleExample(
            manifest,
            """
            // swift-tools-version: 5.9
            let package = Package(name: "N", dependencies: [.package(name: "OpenCoreData", path: "/OpenCoreData")], targets: \
            [.target(name: "Kit", dependencies: [.product(name: "CoreData", package: "OpenCoreData", condition: \
            .when(platforms: [.linux]))], plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]), \
            .testTarget(name: "KitTests")])
            """
        ).at("Package.swift").beside(["Sources/Kit/A.swift": "import CoreData\n"]),
    ]

    /// One for each rule that reports.
    static let reporting: [String: RuleExample] = [
        "selectors": RuleExample("control.perform(#selector(A.saved))", "1:17: there are no selectors on Linux"),
        "observing": RuleExample(
            "a.addObserver(b, forKeyPath: \"c\")", "1:3: there is no observing by strings on Linux"),
        "dependent-keys": RuleExample(
            "class A { func f() { willChangeValue(forKey: \"a\") } }",
            "1:22: only managed objects announce changes by key on Linux"),
        "nameless-properties": RuleExample(
            "class A { @objc var a = 1 }\nlet a = (\\A.a)._kvcKeyPathString", "1:21: the name of '\\A.a' is used in "),
        "associated-objects": RuleExample(
            "objc_setAssociatedObject(a, b, c, d)", "1:1: the value is released some time after its object on Linux"),
        "runtime": RuleExample(
            "func f() { class_copyPropertyList(a, &b) }\n", "1:12: there is no runtime of Objective-C on Linux"
        ).beside(["B.swift": "let c = f()"]),
        "object-locks": RuleExample("objc_sync_enter(self)", "1:1: objects have no locks of their own on Linux"),
        "controller-casts": RuleExample(
            "a as? NSFetchedResultsController<Note>", "1:3: a fetched results controller casts to its own type only"),
        "request-patterns": RuleExample(
            "switch a { case let b as NSFetchRequest<Note>: f(b) }",
            "1:23: the pattern matches requests of its own type"),
        "c-arguments": RuleExample(
            "func f(_ a: CVaListPointer) { g(NSPredicate(format: b, arguments: a)) }",
            "1:56: a list of C holds no objects on Linux"),
        "result-types": RuleExample(
            "f(NSFetchRequestResult.self)", "1:3: the protocol is no type of results itself on Linux"),
        "ambiguous-names": RuleExample("let a: NSExpression", "1:8: Foundation declares NSExpression"),
        "confined-contexts": RuleExample(
            "let a = NSManagedObjectContext()", "1:9: a context made without a concurrency type is confined"),
        "absent-imports": RuleExample(
            "import Security", "1:8: there is no module 'Security' on Linux: there is no such service"),
        "cloudkit": RuleExample(
            "let a = NSPersistentCloudKitContainer.eventChangedNotification", "1:9: there is no CloudKit on Linux"),
        "data-of-views": RuleExample(
            "import SwiftData\n@Query var trips: [Trip]", "2:2: there is no '@Query' on Linux"),
        "forced-groups": RuleExample(
            "a.containerURL(forSecurityApplicationGroupIdentifier: b)!", "1:3: there are no application groups on Linux"
        ),
        "interface-files": RuleExample("@IBAction func f() {}", "1:1: there are no interface files on Linux"),
        "absent-types": RuleExample(
            "let a = RelativeDateTimeFormatter()", "1:9: Foundation on Linux has no 'RelativeDateTimeFormatter'"),
        "localized-texts": RuleExample(
            "let a = String(localized: b)", "1:9: Foundation on Linux has no 'String(localized:)'"),
        "bundle-keys": RuleExample(
            "let a = info[kCFBundleNameKey]",
            "1:14: Foundation on Linux has no 'kCFBundleNameKey': write the key itself, \"CFBundleName\""),
        "unfair-locks": RuleExample(
            "var a = os_unfair_lock()", "1:9: there are no unfair locks on Linux without the product OSLogging"
        ).with { $0.options.logging = false },
        "absent-test-types": RuleExample("XCTExpectFailure()", "1:1: XCTest on Linux has no 'XCTExpectFailure'"),
        "issues": RuleExample("record(XCTIssue(type: a))", "1:8: XCTest on Linux has no 'XCTIssue'"),
        "main-queue-waits": RuleExample(
            "import XCTest\nfunc f() { DispatchQueue.main.async { a = 1 }; wait(for: b, timeout: 1) }",
            "2:48: the wait ends when its expectations are fulfilled: the block for the main queue in line 2"),
        "hidden-declarations": RuleExample(
            "#if canImport(ObjectiveC)\nfunc saved(by a: Int) {}\n#endif\nsaved(by: 1)",
            "1:1: 'saved' is left out on Linux, and "),
        "vanished-files": RuleExample("#if os(macOS)\nlet a = 1\n#endif", "1:1: nothing of this file is left on Linux"),
    ]
}
