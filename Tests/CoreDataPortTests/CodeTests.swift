import Testing

@testable import CoreDataPort

@Suite("Porting code")
struct CodeTests {
    @Test("The comparisons of sort descriptors become names, other selectors are reported")
    func selectors() throws {
        let ported = try Ported(
            """
            let a = NSSortDescriptor(key: "x", ascending: true, selector: #selector(NSString.caseInsensitiveCompare(_:)))
            let b = NSSortDescriptor(key: "x", ascending: true, selector: #selector(NSString.localizedStandardCompare))
            let c = #selector(NSString.localizedCaseInsensitiveCompare(_:))
            let d = NSSortDescriptor(key: "x", ascending: true, selector: Selector(("localizedCompare:")))
            let e = NSSortDescriptor(key: "x", ascending: true, selector: NSSelectorFromString("compare:"))
            center.addObserver(self, selector: #selector(saved(_:)), name: .NSManagedObjectContextDidSave, object: nil)
            control.perform(#selector(getter: Note.title))
            func f(_ action: Selector) {}
            import CoreData
            f(name: #function, in: #filePath)
            """)
        #expect(
            ported.text == """
                let a = NSSortDescriptor(key: "x", ascending: true, selector: .caseInsensitiveCompare)
                let b = NSSortDescriptor(key: "x", ascending: true, selector: .localizedStandardCompare)
                let c = SortSelector.localizedCaseInsensitiveCompare
                let d = NSSortDescriptor(key: "x", ascending: true, selector: .localizedCompare)
                let e = NSSortDescriptor(key: "x", ascending: true, selector: .compare)
                center.addObserver(self, selector: #selector(saved(_:)), name: .NSManagedObjectContextDidSave, object: nil)
                control.perform(#selector(getter: Note.title))
                func f(_ action: Selector) {}
                import CoreData
                f(name: #function, in: #filePath)
                """)
        #expect(ported.byHand.map { $0.prefix(7) } == ["6:36: t", "7:17: t", "8:18: t"])
        #expect(ported.byHand[0].contains("addObserver(forName:object:queue:using:)"))
    }

    @Test("A selector of the framework's inside a text is its name")
    func writtenSelectors() throws {
        let ported = try Ported(
            #"""
            import CoreData
            let a = "FUNCTION($source, '\(#selector(NSManagedObject.value(forKey:)))', 'x')"
            let b = "FUNCTION($manager, \"\(#selector(getter: NSMigrationManager.sourceContext))\")"
            let c = "\(#selector(Note.saved(_:)))"
            let d = "\(#selector(NSManagedObject.value))"
            """#)
        #expect(
            ported.text == #"""
                import CoreData
                let a = "FUNCTION($source, 'valueForKey:', 'x')"
                let b = "FUNCTION($manager, \"sourceContext\")"
                let c = "\(#selector(Note.saved(_:)))"
                let d = "\(#selector(NSManagedObject.value))"
                """#)
        #expect(ported.byHand.map { $0.prefix { $0 != ":" } } == ["4", "5"])
    }

    @Test(
        "Casts of fetch requests: those that are needless go, those that Swift can do otherwise change"
    )
    func casts() throws {
        let ported = try Ported(
            """
            let a = Note.fetchRequest() as! NSFetchRequest<Note>
            let b = Note.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>
            let c = NSBatchDeleteRequest(fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>)
            let d = try context.fetch(self.request as! NSFetchRequest<any NSFetchRequestResult>) as? [Note]
            let e = try context.count(for: request as! NSFetchRequest<NSFetchRequestResult>)
            let f = request as! NSFetchRequest<Note>
            guard let g = request as? NSFetchRequest<NSFetchRequestResult> else { return }
            let h = NSFetchRequest<NSFetchRequestResult>(entityName: name(1)) as! NSFetchRequest<Kit.Note>
            let i = Memo.fetchRequest() as! NSFetchRequest<Kit.Note>
            let copied = request.copy() as! NSFetchRequest<Note>
            func g() {
                let any = request as! NSFetchRequest<NSFetchRequestResult>
                return try fetch(any) as NSArray
            }
            func h() {
                let any = request as! NSFetchRequest<NSFetchRequestResult>
                keep(any)
            }
            class Note: NSManagedObject {
                static var o: NSFetchRequest<Self> {
                    let kept = NSFetchRequest<NSManagedObject>(entityName: name)
                    kept.fetchLimit = 1
                    return kept as! NSFetchRequest<Self>
                }
                class func j() -> NSFetchRequest<Note> { fetchRequest() as! NSFetchRequest<Note> }
                static func k() -> NSFetchRequest<Note> { Self.fetchRequest() as! NSFetchRequest<Note> }
                func l() -> NSFetchRequest<Note> { type(of: self).fetchRequest() as! NSFetchRequest<Note> }
                class func m() -> NSFetchRequest<Note> { self.fetchRequest() as! NSFetchRequest<Note> }
                class func n() -> NSFetchRequest<any NSFetchRequestResult> {
                    fetchRequest() as! NSFetchRequest<any NSFetchRequestResult>
                }
            }
            func o<T: NSManagedObject>(_ t: T.Type) -> NSFetchRequest<T> { t.fetchRequest() as! NSFetchRequest<T> }
            import CoreData
            """)
        #expect(
            ported.text == """
                let a = Note.fetchRequest() as! NSFetchRequest<Note>
                let b = Note.fetchRequest() as NSFetchRequest<NSFetchRequestResult>
                let c = NSBatchDeleteRequest(fetchRequest: request)
                let d = try context.fetch(self.request) as? [Note]
                let e = try context.count(for: request)
                let f = NSFetchRequest<Note>(casting: request)!
                guard let g = NSFetchRequest<NSFetchRequestResult>(casting: request) else { return }
                let h = NSFetchRequest<Kit.Note>(entityName: name(1))
                let i = NSFetchRequest<Kit.Note>(entityName: Memo.entity().name ?? "")
                let copied = request.copy() as! NSFetchRequest<Note>
                func g() {
                    let any = request
                    return try fetch(any) as NSArray
                }
                func h() {
                    let any = NSFetchRequest<NSFetchRequestResult>(casting: request)!
                    keep(any)
                }
                class Note: NSManagedObject {
                    static var o: NSFetchRequest<Self> {
                        let kept = NSFetchRequest<Self>(entityName: name)
                        kept.fetchLimit = 1
                        return kept
                    }
                    class func j() -> NSFetchRequest<Note> { fetchRequest() as! NSFetchRequest<Note> }
                    static func k() -> NSFetchRequest<Note> { NSFetchRequest<Note>(entityName: Self.entity().name ?? "") }
                    func l() -> NSFetchRequest<Note> { type(of: self).fetchRequest() as! NSFetchRequest<Note> }
                    class func m() -> NSFetchRequest<Note> { self.fetchRequest() as! NSFetchRequest<Note> }
                    class func n() -> NSFetchRequest<any NSFetchRequestResult> {
                        fetchRequest() as NSFetchRequest<any NSFetchRequestResult>
                    }
                }
                func o<T: NSManagedObject>(_ t: T.Type) -> NSFetchRequest<T> { t.fetchRequest() as! NSFetchRequest<T> }
                import CoreData
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("The name of a key path comes from the framework")
    func keyPathNames() throws {
        let ported = try Ported(
            """
            import CoreData
            let name = path._kvcKeyPathString! + (\\Note.title)._kvcKeyPathString!
            extension KeyPath { var name: String { f(_kvcKeyPathString ?? "\\(_kvcKeyPathString!)") } }
            """)
        #expect(
            ported.text == """
                import CoreData
                let name = path.managedKeyPath! + (\\Note.title).managedKeyPath!
                extension KeyPath { var name: String { f(managedKeyPath ?? "\\(managedKeyPath!)") } }
                """)
    }

    @Test("A predicate without anything, which Foundation on Linux does not make, is one that holds")
    func emptyPredicate() throws {
        let ported = try Ported(
            "import CoreData\nlet a = NSPredicate(), b = NSPredicate.init(), c = f(NSPredicate(value: false))")
        #expect(
            ported.text
                == "import CoreData\nlet a = NSPredicate(value: true), b = NSPredicate.init(value: true), "
                + "c = f(NSPredicate(value: false))")
    }

    @Test("A class with @NSManaged that a function declares moves out of it, with the edits in it")
    func movedClasses() throws {
        let ported = try Ported(
            """
            import CoreData
            func make() {
                // The base.
                class Note: NSManagedObject { @NSManaged var a: String }

                @objc(Memo)
                final class Memo: Note {
                    @NSManaged var b: String
                    @NSManaged var c: String
                }
                use(Note.self, Memo.self)
            }

            """)
        #expect(
            ported.text == """
                import CoreData
                func make() {

                    use(Note.self, Memo.self)
                }

                    // The base.
                    class Note: NSManagedObject { @NSManaged var a: String }

                    final class Memo: Note {
                        @NSManaged var b: String
                        @NSManaged var c: String
                    }

                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("@NSManaged in another class that a function declares is reported; conditions and nested types are heeded")
    func localClasses() throws {
        let ported = try Ported(
            """
            import CoreData
            enum Models { class Fine: NSManagedObject { @NSManaged var a: String } }
            func make() {
                struct Kind {}
                class Note: NSManagedObject { @NSManaged var a: String; func f() -> Kind { Kind() } }
                #if canImport(UIKit)
                class Other: NSManagedObject { @NSManaged var a: String }
                #endif
            }
            func twice() { class Memo: NSManagedObject { @NSManaged var a: String } }
            func again() { class Memo: NSManagedObject { @NSManaged var a: String } }
            """)
        #expect(ported.byHand.count == 2)
        #expect(ported.byHand.first?.hasPrefix("5:35: the accessors of '@NSManaged' are written outside") == true)
    }

    @Test("A file that conditions leave out altogether is named, and no other file is")
    func vanished() throws {
        let ported = try Ported(
            """
            // Cells.
            import CoreData
            #if canImport(UIKit)
            import UIKit
            class Cell: UITableViewCell {}
            #else
            @testable import Kit
            #endif
            """)
        #expect(
            ported.hints == [
                "3:1: nothing of this file is left on Linux: '#if canImport(UIKit)' leaves out all that it declares"
            ])
        #expect(try Ported("import CoreData\n#if canImport(UIKit)\nlet a = 1\n#else\nlet a = 2\n#endif").hints == [])
        #expect(try Ported("import CoreData\n").hints == [])
    }

    @Test("Code for Xcode's own projects alone causes no alarm")
    func notOfPackages() throws {
        let ported = try Ported(
            """
            import CoreData
            #if SWIFT_PACKAGE
            let bundle = Bundle.module
            #else
            #endif
            #if !SWIFT_PACKAGE && DEBUG
            let other = Bundle(for: Note.self)
            #endif
            """)
        #expect(ported.porting.notes.isEmpty && ported.porting.changed.isEmpty)
    }

    @Test("The note on names that Foundation has too points at such a name, once")
    func ambiguousNames() throws {
        let ported = try Ported([
            "A.swift": "import CoreData\n", "B.swift": "import CoreData\nlet a: NSExpression\nlet b: NSExpression\n",
            "C.swift": "import CoreData\nlet c: NSCompoundPredicate\n",
        ])
        #expect(ported.hints.count == 1)
        #expect(ported.hints.first?.hasPrefix("2:8: Foundation declares NSExpression") == true)
        #expect(ported.porting.notes.first?.file.hasSuffix("B.swift") == true)
    }

    @Test("A file whose selectors are comparisons has them in variables, too")
    func selectorTypes() throws {
        let ported = try Ported(
            """
            let a: Selector?
            a = #selector(NSString.caseInsensitiveCompare(_:))
            func f(_ by: Selector) {}
            """)
        #expect(
            ported.text == """
                let a: SortSelector?
                a = SortSelector.caseInsensitiveCompare
                func f(_ by: SortSelector) {}
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("Units of time that Dispatch has on a Mac alone are written out")
    func units() throws {
        let ported = try Ported("let a = Double(2 * NSEC_PER_SEC), b = kit.NSEC_PER_SEC")
        #expect(ported.text == "let a = Double(2 * 1_000_000_000), b = kit.NSEC_PER_SEC")
    }

    @Test("A predicate of a format and a list of arguments is made of the arguments themselves")
    func argumentLists() throws {
        let ported = try Ported(
            """
            import CoreData
            let a = withVaList(all + [1]) { NSPredicate(format: f(x), arguments: $0) }
            let b = withVaList(all) { NSString(format: x, arguments: $0) }
            """)
        #expect(
            ported.text == """
                import CoreData
                let a = NSPredicate(format: f(x), argumentArray: all + [1])
                let b = withVaList(all) { NSString(format: x, arguments: $0) }
                """)
    }

    @Test("A note marks each use of features that only Apple's runtime and services have")
    func appleOnly() throws {
        let ported = try Ported(
            """
            XCTExpectFailure()
            let a = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "a")!
            let b: NSPersistentCloudKitContainerOptions, c = RelativeDateTimeFormatter()
            #if canImport(CloudKit)
            let d: NSPersistentCloudKitContainerOptions
            #endif
            func f() { objc_sync_enter(self) }
            @IBAction func g(_ sender: Any) {}
            """)
        #expect(ported.byHand.map { $0.prefix(5) } == ["1:1: ", "2:29:", "3:8: ", "3:50:", "7:12:", "8:1: "])
    }

    @Test("Arguments of a format need not be CVarArg")
    func arguments() throws {
        let ported = try Ported(
            """
            let a = NSPredicate(format: "id == %@ AND date < %@", id as CVarArg, f(date) as! CVarArg)
            let b = String(format: "%@", id as CVarArg)
            import CoreData
            """)
        #expect(
            ported.text == """
                let a = NSPredicate(format: "id == %@ AND date < %@", id, f(date))
                let b = String(format: "%@", id as CVarArg)
                import CoreData
                """)
    }

    @Test("A set of Foundation's from a literal is made by its initialiser")
    func sets() throws {
        let ported = try Ported(
            """
            let a: NSSet = [1, f([2]), "]"]
            var b: NSMutableSet? = []
            note.tags = [c, d] as NSSet
            let e = x[0] as NSSet
            let f: NSSet = [1, 2].g()
            let h: NSOrderedSet = [1]
            """)
        #expect(
            ported.text == """
                let a: NSSet = NSSet(array: [1, f([2]), "]"])
                var b: NSMutableSet? = NSMutableSet()
                note.tags = NSSet(array: [c, d])
                let e = x[0] as NSSet
                let f: NSSet = [1, 2].g()
                let h: NSOrderedSet = [1]
                """)
    }

    @Test("Modules that Linux has not, observing: reported with their places")
    func reported() throws {
        let ported = try Ported(
            """
            import CoreData
            import Combine
            import os.log
            import class Security.SecKey
            @testable import Kit
            let token = note.observe(\\.title) { _, _ in }
            note.addObserver(self, forKeyPath: "x", options: [], context: nil)
            let context = NSManagedObjectContext()
            let expression: NSExpression
            """)
        #expect(ported.porting.changed.isEmpty)
        #expect(
            ported.byHand.map { $0.prefix { $0 != " " } } == [
                "2:8:", "4:14:", "7:6:",
            ])
        #expect(ported.byHand.contains { $0.contains("note.observe(\\.title, options: [.new])") })
        #expect(ported.hints.contains { $0.hasPrefix("6:18: 'observe' follows managed objects") })
        #expect(ported.hints.contains { $0.hasPrefix("3:8: on Linux the module comes with 'OSLogging'") })
        #expect(ported.hints.contains { $0.hasPrefix("8:15: a context made without") })
        #expect(ported.hints.contains { $0.contains("typealias NSExpression = CoreData.NSExpression") })
    }

    @Test(
        "Unfinished and odd sources are left alone",
        arguments: [
            "@objc", "#keyPath(", "\"\\(#selector(", "import CoreData\nas! NSFetchRequest<", "import", "/* @objc",
            "let a: NSSet = [",
        ])
    func unfinished(source: String) throws {
        let ported = try Ported(source)
        #expect(source == "@objc" ? ported.text == "" : ported.porting.changed.isEmpty)
    }
}
