import Testing

@testable import CoreDataPort

@Suite("Porting the parts of Foundation that have another form")
struct FoundationTests {
    @Test("Parameters for arguments of a predicate take anything; those for arguments of a text stay")
    func argumentTypes() throws {
        let ported = try Ported([
            "A.swift": """
            import CoreData
            func f(_ value: CVarArg, _ more: CVarArg...) { g(NSPredicate(format: "a == %@", value as CVarArg)) }
            """,
            "B.swift": "import CoreData\nfunc f(_ value: CVarArg) -> String { String(format: \"%@\", value) }",
            "C.swift": "import Foundation\nfunc f(_ value: CVarArg) {}",
            "E.swift":
                "import CoreData\nfunc f(_ ids: any Sequence & CVarArg, _ id: Int) { NSPredicate(format: \"\", ids) }",
            "D.swift": "import Foundation\nfunc f(_ value: CVarArg) { NSPredicate(format: \"a == %@\", value) }",
        ])
        #expect(
            ported.text("A.swift") == """
                import CoreData
                func f(_ value: Any, _ more: Any...) { g(NSPredicate(format: "a == %@", value)) }
                """)
        #expect(ported.text("D.swift")?.contains("func f(_ value: Any) {") == true)
        #expect(ported.text("E.swift")?.contains("func f(_ ids: any Sequence, _ id: Int) {") == true)
        #expect(ported.porting.changed.count == 3)
    }

    private let errorOutput = """
        import Foundation
        fputs("a\\n", stderr)
        fputs(text + "\\n", stderr)
        fputs(text, stdout)
        """

    @Test("Text for standard error is written by a handle, where version 6 of the language is spoken")
    func errors() throws {
        let ported = try Ported([
            "Package.swift": "// swift-tools-version: 6.0\nlet package = Package(name: \"A\")", "A.swift": errorOutput,
        ])
        #expect(
            ported.text("A.swift") == """
                import Foundation
                FileHandle.standardError.write(Data("a\\n".utf8))
                FileHandle.standardError.write(Data((text + "\\n").utf8))
                fputs(text, stdout)
                """)
        let older = try Ported([
            "Package.swift": "// swift-tools-version: 5.9\nlet package = Package(name: \"A\")", "A.swift": errorOutput,
        ])
        #expect(older.porting.changed.isEmpty)
    }

    @Test("A relationship's value that is changed in place is asked for as one that can be")
    func mutableValues() throws {
        let ported = try Ported(
            """
            import CoreData
            extension NSManagedObject {
                func f() {
                    if let a = value(forKeyPath: key.name) as? NSMutableSet { a.add(1) }
                    let b = self.value(forKey: "b") as! NSMutableOrderedSet, c = value(forKey: "c") as? NSSet
                }
            }
            let d = object.value(forKey: "d") as? NSMutableSet
            struct S { func f() { value(forKey: "e") as? NSMutableSet } }
            """)
        #expect(
            ported.text == """
                import CoreData
                extension NSManagedObject {
                    func f() {
                        if let a = mutableSetValue(forKeyPath: key.name) as? NSMutableSet { a.add(1) }
                        let b = self.mutableOrderedSetValue(forKey: "b") as! NSMutableOrderedSet, c = value(forKey: "c") as? NSSet
                    }
                }
                let d = object.mutableSetValue(forKey: "d") as? NSMutableSet
                struct S { func f() { value(forKey: "e") as? NSMutableSet } }
                """)
    }

    @Test("The selector of a getter, as a string, is the name of the property")
    func getters() throws {
        let ported = try Ported(
            "let a = [NSStringFromSelector(#selector(getter: title)), NSStringFromSelector(#selector(getter: Note.title))]"
        )
        #expect(ported.text == "let a = [\"title\", \"title\"]")
        #expect(ported.byHand.isEmpty)
    }

    @Test("The class for a coder is the class itself")
    func classesForCoders() throws {
        let tests = try Ported("import XCTest\nlet a = type(of: self).description(), b = self.description")
        #expect(
            tests.text == "import XCTest\nlet a = String(reflecting: type(of: self)), b = self.description")
        let ported = try Ported("let a = [T.self.classForCoder(), self.classForCoder]")
        #expect(ported.text == "let a = [T.self, self.classForCoder]")
    }

    @Test("A module that the package has a target in place of is imported as a whole")
    func standIns() throws {
        let ported = try Ported([
            "Package.swift": """
            // swift-tools-version: 5.9
            let package = Package(name: "A", targets: [.target(name: "os"), .target(name: "A", dependencies: ["os"])])
            """, "Sources/os/os.swift": "", "Sources/A/A.swift": "import os.log\nimport os\nimport Combine\n",
        ])
        #expect(ported.text("Sources/A/A.swift") == "import os\nimport os\nimport Combine\n")
        #expect(ported.byHand.count == 1 && ported.byHand[0].contains("'Combine'"))
    }

    @Test("The places of resources become URLs, as on a Mac")
    func resourceLists() throws {
        let ported = try Ported(
            """
            let a = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
            let b = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)!
            let c = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)?.first
            let d = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil) ?? []
            """)
        #expect(
            ported.text == """
                let a = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)?.map({ $0 as URL })
                let b = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)!.map({ $0 as URL })
                let c = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)?.map({ $0 as URL }).first
                let d = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)?.map({ $0 as URL }) ?? []
                """)
    }

    @Test("A test that waits as long as it takes says so")
    func waits() throws {
        let ported = try Ported(
            """
            import XCTest
            wait(for: [f(a, b), c])
            await fulfillment(of: [a], enforceOrder: true)
            wait(for: [a], timeout: 1)
            wait(for: a.map { (x, timeout) in x }, enforceOrder: true, timeout: 1)
            wait(1)
            func wait(for a: Int) {}
            """)
        #expect(
            ported.text == """
                import XCTest
                wait(for: [f(a, b), c], timeout: .infinity)
                await fulfillment(of: [a], timeout: .infinity, enforceOrder: true)
                wait(for: [a], timeout: 1)
                wait(for: a.map { (x, timeout) in x }, enforceOrder: true, timeout: 1)
                wait(1)
                func wait(for a: Int) {}
                """)
        #expect(try Ported("import Foundation\nwait(for: a)").porting.changed.isEmpty)
    }

    @Test("Run loops and absolute times are in a module of their own on Linux, and their modes are constants of C")
    func coreFoundation() throws {
        let ported = try Ported(
            """
            import Foundation
            let time = CFAbsoluteTimeGetCurrent()
            CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .commonModes)
            loop.run(in: .commonModes)
            """)
        #expect(
            ported.text == """
                import Foundation
                #if canImport(CoreFoundation)
                import CoreFoundation
                #endif
                let time = CFAbsoluteTimeGetCurrent()
                CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
                loop.run(in: .commonModes)
                """)
    }

    @Test("The name of a test's class that objects have on a Mac is asked of Swift; other names stay")
    func namesOfTests() throws {
        let ported = try Ported(
            """
            import XCTest
            class BaseTests: XCTestCase {}
            class StoreTests: BaseTests {
                func testA() { open(className, self.className, other.className, className(1)) }
            }
            class Store { func f() { open(className) } }
            """)
        #expect(
            ported.text == """
                import XCTest
                class BaseTests: XCTestCase {}
                class StoreTests: BaseTests {
                    func testA() { open(String(reflecting: type(of: self)), String(reflecting: type(of: self)), \
                other.className, className(1)) }
                }
                class Store { func f() { open(className) } }
                """)
        let own = "import XCTest\nclass A: XCTestCase { let className = 1\nfunc testA() { f(className) } }"
        #expect(try Ported(own).porting.changed.isEmpty)
    }

    @Test("Arguments of a predicate that are gathered in a list, and handed on as one")
    func argumentLists() throws {
        let ported = try Ported([
            "A.swift": """
            import CoreData
            var list: [CVarArg] = [1, "a"]
            let a = NSPredicate(format: text, arguments: getVaList(list + [Date() as CVarArg]))
            """,
            "B.swift": """
            import CoreData
            let list: [CVarArg] = [1]
            let a = NSString(format: text, arguments: getVaList(list))
            """,
            "C.swift": """
            import CoreData
            func f(_ list: CVarArg...) { withVaList(list) { NSPredicate(format: text, arguments: $0) } }
            """,
        ])
        #expect(
            ported.text("A.swift") == """
                import CoreData
                var list: [Any] = [1, "a"]
                let a = NSPredicate(format: text, argumentArray: list + [Date() as CVarArg])
                """)
        #expect(ported.text("B.swift") == nil)
        #expect(
            ported.text("C.swift") == """
                import CoreData
                func f(_ list: Any...) { NSPredicate(format: text, argumentArray: list) }
                """)
    }

    @Test("Texts without values are looked up by Linux's function; those with values stay, the rest is reported")
    func texts() throws {
        let ported = try Ported(
            """
            import Foundation
            let a = String(localized: "a")
            let b = String(
                localized: "b, \\"c\\"",
                table: "T",
                bundle: f(.module, table: 1),
                comment: "d"
            )
            let c = String(localized: "c \\(a)", bundle: .module, comment: "e")
            let d = String(localized: "d", locale: .current)
            let e = String(localized: key)
            let f = String(localized: "f" + a)
            """)
        #expect(
            ported.text == """
                import Foundation
                let a = NSLocalizedString("a", comment: "")
                let b = NSLocalizedString(
                    "b, \\"c\\"",
                    tableName: "T",
                    bundle: f(.module, table: 1),
                    comment: "d"
                )
                let c = "c \\(a)"
                let d = String(localized: "d", locale: .current)
                let e = String(localized: key)
                let f = String(localized: "f" + a)
                """)
        #expect(ported.byHand.map { $0.prefix { $0 != " " } } == ["10:9:", "11:9:", "12:9:"])
    }

    @Test("Folders that URL knows on a Mac are asked of the manager of files; its own names for them stay")
    func folders() throws {
        let ported = try Ported(
            """
            import Foundation
            let a = URL.documentsDirectory.path
            func b() -> URL {
                .cachesDirectory.appendingPathComponent("b")
            }
            let c = f(.applicationSupportDirectory.appending(path: "c"))
            let d = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
            let e: FileManager.SearchPathDirectory = .libraryDirectory
            let f = folders.cachesDirectory.appendingPathComponent("f")
            """)
        #expect(
            ported.text == """
                import Foundation
                let a = FileManager.default.urls(for: .documentsDirectory, in: .userDomainMask)[0].path
                func b() -> URL {
                    FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0].appendingPathComponent("b")
                }
                let c = f(FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0].appending(path: "c"))
                let d = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
                let e: FileManager.SearchPathDirectory = .libraryDirectory
                let f = folders.cachesDirectory.appendingPathComponent("f")
                """)
    }
}
