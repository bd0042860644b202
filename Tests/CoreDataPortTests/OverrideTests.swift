import Testing

@testable import CoreDataPort

@Suite("Porting overrides in extensions")
struct OverrideTests {
    @Test("An override moves into its class, with its comment and the edits in it")
    func moved() throws {
        let ported = try Ported(
            """
            import CoreData

            public class Note: NSManagedObject {
                @NSManaged var title: String
            }

            public extension Note {
                var short: String { title }

                // MARK: Life

                /// Fills in.
                @objc override func awakeFromInsert() {
                    super.awakeFromInsert()
                    setPrimitiveValue("", forKey: #keyPath(Note.title))
                }
            }
            """)
        #expect(
            ported.text == """
                import CoreData

                public class Note: NSManagedObject {
                    @NSManaged var title: String

                    /// Fills in.
                    public override func awakeFromInsert() {
                        super.awakeFromInsert()
                        setPrimitiveValue("", forKey: "title")
                    }
                }

                public extension Note {
                    var short: String { title }

                    // MARK: Life

                }
                """)
        #expect(ported.porting.notes.isEmpty)
        #expect(try Ported(ported.text ?? "").porting.changed.isEmpty)
    }

    @Test("An extension of which nothing is left goes, unless it says that the type conforms to something")
    func emptied() throws {
        let ported = try Ported(
            """
            import CoreData

            class Note: NSManagedObject {
                @NSManaged var title: String
            }

            // MARK: Life

            extension Note {
                override func awakeFromInsert() {}

                override func willSave() {}
            }

            extension Note: Named {
                override func didSave() {}
            }
            """)
        #expect(
            ported.text == """
                import CoreData

                class Note: NSManagedObject {
                    @NSManaged var title: String

                    override func awakeFromInsert() {}

                    override func willSave() {}

                    override func didSave() {}
                }

                // MARK: Life

                extension Note: Named {
                }
                """)
    }

    @Test("A note names an override's class where that is elsewhere")
    func reported() throws {
        let ported = try Ported([
            "A.swift": "import CoreData\nclass Note: NSManagedObject {}\n",
            "B.swift": "import CoreData\nextension Note {\n    override public func validateForInsert() throws {}\n}\n",
            "C.swift": "import CoreData\nextension Tag { override var isFault: Bool { false } }\n",
            "D.swift": "extension NSDecimalNumber { override var kind: Int { 1 } }\n",
        ])
        #expect(ported.porting.changed.isEmpty)
        #expect(
            ported.byHand == [
                "3:5: 'validateForInsert' cannot be overridden in an extension on Linux: move it into the class 'Note'",
                "2:17: 'isFault' cannot be overridden in an extension on Linux: no class 'Tag' was looked at; write "
                    + "out one that the model generates",
                "1:29: 'kind' cannot be overridden in an extension on Linux: let the method that it overrides decide by the "
                    + "type",
            ])
    }

    @Test("Overrides in classes stay")
    func inClasses() throws {
        let source = "import CoreData\nclass A: NSManagedObject { override func awakeFromFetch() {} }\n"
        #expect(try Ported(source).porting.changed.isEmpty)
    }

    @Test("An import of one declaration is no declaration")
    func scopedImport() throws {
        let ported = try Ported(
            """
            import class CoreData.NSManagedObject
            import struct Foundation.URL

            class Note: NSManagedObject {
            }

            extension Note {
                override func awakeFromInsert() { super.awakeFromInsert() }
            }
            """)
        #expect(ported.byHand == [])
        #expect(
            ported.text == """
                import class CoreData.NSManagedObject
                import struct Foundation.URL

                class Note: NSManagedObject {

                    override func awakeFromInsert() { super.awakeFromInsert() }
                }

                """)
    }
}
