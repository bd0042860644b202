import Testing

@testable import CoreDataPort

@Suite("Porting #keyPath")
struct KeyPathTests {
    private func ported(_ expression: String, _ more: String = "") throws -> Ported {
        try Ported("extension Note {\n    var a: String { \(expression) }\n}\n\(more)\n", model: notes)
    }

    /// The line that holds the expression, as it is afterwards.
    private func line(_ ported: Ported) -> String? {
        ported.text?.split(separator: "\n").first { $0.hasPrefix("    var a: String") }
            .map { String($0.dropFirst(20).dropLast(2)) }
    }

    @Test(
        "Keys that a model has, through relationships, in any layout",
        arguments: [
            ("#keyPath(Note.title)", "\"title\""), ("#keyPath(title)", "\"title\""),
            ("#keyPath(Note.folder.name)", "\"folder.name\""),
            ("#keyPath( Folder . notes.folder.name )", "\"notes.folder.name\""),
            ("#keyPath(NSPersistentHistoryTransaction.author)", "\"author\""),
            ("f(#keyPath(Note.objectID), x)", "f(\"objectID\", x)"), ("#keyPath(NSManagedObject.entity)", "\"entity\""),
            ("#keyPath(Kit.Note.body)", "\"body\""),
        ])
    func model(expression: String, result: String) throws {
        let ported = try ported(expression)
        #expect(line(ported) == result)
        #expect(ported.byHand.isEmpty)
    }

    @Test("A key path in a string becomes part of it when nothing else is in the parentheses")
    func interpolation() throws {
        let ported = try ported(
            ##""\(#keyPath(Note.title)) == %@ \(x + #keyPath(Note.body))" + #"\#(#keyPath(Note.title)) \(no)"#"##)
        #expect(line(ported) == ##""title == %@ \(x + "body")" + #"title \(no)"#"##)
    }

    @Test("Keys that classes declare are found: inherited ones, of nested types, of collections")
    func classes() throws {
        let ported = try Ported(
            """
            class Base: NSObject { var first, second: Int; private(set) lazy var leaf: Inner? = nil; class Inner { var x = 1 } }
            class Leaf: Base {
                var many: Set<Leaf>?
                func f() { g(#keyPath(Leaf.second), #keyPath(leaf.x), #keyPath(Leaf.many.first), #keyPath(Base.Inner.x)) }
                func h() { let local = 1; g(#keyPath(local)) }
            }
            """)
        #expect(ported.text?.contains(#"g("second", "leaf.x", "many.first", "x")"#) == true)
        #expect(ported.byHand == ["5:33: '#keyPath(local)' stays: 'Leaf' has no property 'local'"])
    }

    @Test("A class that has another name in models is found by that")
    func renamedClass() throws {
        let ported = try Ported(
            """
            @objc(MONote) class Note: NSManagedObject {
                @NSManaged var links: NSSet?
                func f() { g(#keyPath(Note.title), #keyPath(Note.links.links.title), #keyPath(Note.links.titel)) }
            }
            """,
            model: """
                <entity name="Note" representedClassName="MONote"><attribute name="title" attributeType="String"/>
                <relationship name="links" optional="YES" toMany="YES" destinationEntity="Note" inverseName="links" \
                inverseEntity="Note"/></entity>
                """)
        #expect(
            ported.text("File.swift")?.contains(#"g("title", "links.links.title", #keyPath(Note.links.titel))"#) == true
        )
        #expect(ported.byHand == ["3:74: '#keyPath(Note.links.titel)' stays: 'Note' has no property 'titel'"])
    }

    @Test("An unknown key path is reported with its place and stays")
    func unknown() throws {
        let ported = try Ported(
            """
            func f() {
                g(#keyPath(Note.titel), #keyPath(Note.folder.nam))
                g(#keyPath(UIView.frame))
                g(#keyPath(x[0]))
            }
            """, model: notes)
        #expect(ported.porting.changed.isEmpty)
        #expect(
            ported.byHand == [
                "2:7: '#keyPath(Note.titel)' stays: 'Note' has no property 'titel'",
                "2:29: '#keyPath(Note.folder.nam)' stays: 'Folder' has no property 'nam'",
                "3:7: '#keyPath(UIView.frame)' stays: the type 'UIView' is in no model and no source that was looked at",
                "4:7: this form of '#keyPath' is not understood: write the keys as a string",
            ])
    }

    @Test("A class with an unknown superclass may have any key, and one with another name in Objective-C two")
    func uncertain() throws {
        let ported = try Ported(
            """
            class A: Elsewhere { func f() { g(#keyPath(A.x)) } }
            class B: NSObject { @objc(isDone) var done = false; func f() { g(#keyPath(B.done)) } }
            """)
        #expect(
            ported.byHand == [
                "1:35: '#keyPath(A.x)' stays: the type 'Elsewhere' is in no model and no source that was looked at",
                "2:66: '#keyPath(B.done)' stays: Objective-C knows 'done' as 'isDone'; write the one that is meant",
            ])
    }
}
