import Testing

@testable import CoreDataPort

@Suite("Key paths that lose their names with @objc")
struct NamedKeyPathTests {
    private func warnings(_ use: String, _ property: String = "@objc var shout: String { title.uppercased() }") throws
        -> [String]
    {
        try Ported(
            [
                "A.swift":
                    "import CoreData\nclass Note: NSManagedObject {\n    \(property)\n}\n",
                "B.swift": "import CoreData\n\(use)\n",
            ], model: notes
        ).byHand
    }

    @Test(
        "An unmodelled property whose key path is asked for its name is reported",
        arguments: [
            "let a = SortDescriptor(\\Note.shout)", "let a = (\\Note.shout)._kvcKeyPathString",
            "let a = g(\\.shout), b = path._kvcKeyPathString",
            "let a = #keyPath(Note.shout), b = SortDescriptor(\\Note.shout)",
        ])
    func told(use: String) throws {
        let warnings = try warnings(use)
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("3:15: the name of '\\Note.shout' is used in ") == true)
        #expect(warnings.first?.contains("B.swift, line 2, and there is none without '@objc'") == true)
    }

    @Test("A class answers for such properties where the key can stand in the place of the key path")
    func keyed() throws {
        let ported = try Ported(
            [
                "A.swift": """
                import CoreData
                public class Note: NSManagedObject {
                  @objc dynamic var shout: String { title.uppercased() }
                  @objc
                  public dynamic var size = 1
                  @objc dynamic var unused = 1
                  @objc var title: String { "" }
                }
                class Memo: Note {}
                """,
                "B.swift": """
                import CoreData
                let a = NSSortDescriptor(keyPath: \\Kit.Memo.shout, ascending: true)
                let b = f([NSExpression(forKeyPath: \\Note.size)], #keyPath(Memo.size))
                let c = NSSortDescriptor(keyPath: \\Note.title, ascending: true)
                """,
            ], model: notes)
        #expect(
            ported.text("A.swift") == """
                import CoreData
                public class Note: NSManagedObject {
                  dynamic var shout: String { title.uppercased() }
                  public dynamic var size = 1
                  dynamic var unused = 1
                  var title: String { "" }

                  public override func value(forUndefinedKey key: String) -> Any? {
                    switch key {
                    case "shout": return shout
                    case "size": return size
                    default: return super.value(forUndefinedKey: key)
                    }
                  }
                }
                class Memo: Note {}
                """)
        #expect(
            ported.text("B.swift") == """
                import CoreData
                let a = NSSortDescriptor(key: "shout", ascending: true)
                let b = f([NSExpression(forKeyPath: "size")], "size")
                let c = NSSortDescriptor(keyPath: \\Note.title, ascending: true)
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("A class without members answers for those of its extensions")
    func extended() throws {
        let ported = try Ported([
            "A.swift": "import CoreData\nclass Note: NSManagedObject {}\n",
            "B.swift": """
            import CoreData
            extension Note { @objc var initial: String { "" } }
            let a = NSFetchedResultsController(sectionNameKeyPath: #keyPath(Note.initial))
            """,
        ])
        #expect(
            ported.text("A.swift") == """
                import CoreData
                class Note: NSManagedObject {
                    override func value(forUndefinedKey key: String) -> Any? {
                        switch key {
                        case "initial": return initial
                        default: return super.value(forUndefinedKey: key)
                        }
                    }
                }

                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("A class that answers for unknown keys itself, and one that no source has, are reported")
    func answering() throws {
        let ported = try Ported(
            [
                "A.swift": """
                import CoreData
                class Note: NSManagedObject {
                    @objc dynamic var shout = ""
                    override func value(forUndefinedKey key: String) -> Any? { nil }
                }
                extension Folder { @objc var path: String { "" } }
                let a = [#keyPath(Note.shout), #keyPath(Folder.path)]
                """
            ], model: notes)
        #expect(
            ported.byHand.map { $0.prefix { $0 != "i" } } == [
                "4:25: key-value cod", "6:30: the name of '\\Folder.path' ",
            ])
    }

    @Test(
        "No warning is given where the name does not matter, or the model has the property",
        arguments: [
            "let a = all.map(\\.shout)", "let a = note[keyPath: \\.shout]", "let a = g(\\.shout)",
            "let a = NSSortDescriptor(keyPath: \\Folder.shout, ascending: true)", "let a = \"\\\\Note.shout\"",
        ])
    func harmless(use: String) throws { #expect(try warnings(use) == []) }

    @Test("Classes that are not managed matter where the sources ask for the name themselves")
    func plain() throws {
        func warnings(_ use: String) throws -> Int {
            try Ported("import CoreData\nclass P: NSObject { @objc var x = 1 }\n\(use)\n").byHand.count
        }
        #expect(try warnings("let a = #keyPath(P.x), b = NSSortDescriptor(keyPath: \\P.x, ascending: true)") == 0)
        #expect(try warnings("let a = (\\P.x)._kvcKeyPathString") == 1)
    }

    @Test("Properties of the model keep their names")
    func modelled() throws {
        let use = "let a = NSSortDescriptor(keyPath: \\Note.title, ascending: true), b = SortDescriptor(\\Note.body)"
        #expect(try warnings(use, "@objc @NSManaged var body: String?") == [])
        #expect(try warnings(use, "@objc var body: String? { nil }") == [])
    }
}
