import Testing

@testable import CoreDataPort

@Suite("Porting attributes of Objective-C")
struct AttributeTests {
    @Test("@objc, @objc(Name) and @objcMembers go, with the line they have for themselves")
    func removed() throws {
        let ported = try Ported(
            """
            import CoreData
            @objc(Note)
            public class Note: NSManagedObject {
                @objc(addTagsObject:)
                @NSManaged public func addToTags(_ value: Note)
                @objc  private func act() {} // @objc here stays
                @objc // why
                func why() {}
                let text = "@objc \\("@objc")"
                @discardableResult @objc
                func last() -> Int { 1 }
                @nonobjc public class func fetchRequest() -> NSFetchRequest<Note> { NSFetchRequest(entityName: "Note") }
            }
            @objcMembers final class Other: NSObject { @objc dynamic var x = 1 }
            @objc enum Kind: Int16 { case a }
            """)
        #expect(
            ported.text == """
                import CoreData
                public class Note: NSManagedObject {
                    @NSManaged public func addToTags(_ value: Note)
                    private func act() {} // @objc here stays
                    // why
                    func why() {}
                    let text = "@objc \\("@objc")"
                    @discardableResult
                    func last() -> Int { 1 }
                    @nonobjc public class func fetchRequest() -> NSFetchRequest<Note> { NSFetchRequest(entityName: "Note") }
                }
                final class Other: NSObject { dynamic var x = 1 }
                enum Kind: Int16 { case a }
                """)
        #expect(ported.porting.notes.isEmpty)
    }

    @Test("Ends of lines, a byte order mark and a missing last end of line stay as they are")
    func bytes() throws {
        let ported = try Ported("\u{FEFF}@objc(A)\r\nclass A: NSObject {\r\n\t@objc\r\n\tvar x = 1\r\n}")
        #expect(ported.text == "\u{FEFF}class A: NSObject {\r\n\tvar x = 1\r\n}")
    }

    @Test("A protocol of Objective-C stays one of classes")
    func protocols() throws {
        let ported = try Ported(
            """
            @objc protocol A { func a() }
            @objc protocol C: NSObjectProtocol {}
            """)
        #expect(
            ported.text == """
                protocol A: AnyObject { func a() }
                protocol C: NSObjectProtocol {}
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("Methods that need not be there get an implementation that does nothing, and are called without a question")
    func optionalMethods() throws {
        let ported = try Ported([
            "A.swift": """
            @objc public protocol Delegate: Hashable {
                /// Says so.
                @objc optional func changed(_ note: Note, at place: Int)
                @objc
                optional func title(of note: Note) -> String?
                func needed()
            }
            let x = 1
            """,
            "B.swift": "delegate?.changed?(note, at: 1)\nlet t = (d as? D)?.title?(of: note), c = handler?(1)",
        ])
        #expect(
            ported.text("A.swift") == """
                public protocol Delegate: AnyObject, Hashable {
                    /// Says so.
                    func changed(_ note: Note, at place: Int)
                    func title(of note: Note) -> String?
                    func needed()
                }

                extension Delegate {
                    public func changed(_ note: Note, at place: Int) {}
                    public func title(of note: Note) -> String? { nil }
                }
                let x = 1
                """)
        #expect(
            ported.text("B.swift")
                == "delegate?.changed(note, at: 1)\nlet t = (d as? D)?.title(of: note), c = handler?(1)")
        #expect(ported.byHand.isEmpty)
    }

    @Test("Other members that need not be there are for the user")
    func optionalMembers() throws {
        let ported = try Ported(
            "@objc protocol B { @objc optional var b: Int { get }\n@objc optional func c() -> Bool }")
        #expect(
            ported.text
                == "protocol B: AnyObject { @objc optional var b: Int { get }\n@objc optional func c() -> Bool }")
        #expect(ported.byHand.count == 2 && ported.byHand[0].hasPrefix("1:20: a protocol has no optional members"))
    }

    @Test("A managed class keeps being found by the model: the model and the code learn the name in Swift")
    func renamedClass() throws {
        let source = """
            @objc(MONote) final class Note: NSManagedObject { func f() { entity.managedObjectClassName = "MONote" } }
            import CoreData
            """
        let ported = try Ported(source, model: "<entity name='Note' representedClassName='MONote'/>")
        #expect(
            ported.text("File.swift") == """
                final class Note: NSManagedObject { func f() { entity.managedObjectClassName = NSStringFromClass(Note.self) } }
                import CoreData
                """)
        #expect(
            ported.text("Model.xcdatamodeld/Model.xcdatamodel/contents")
                == "<model><entity name='Note' representedClassName='Note'/></model>")
        #expect(
            ported.hints == [
                "1:27: models that name the class 'MONote' have to name it 'Note': those found here are changed"
            ])
    }

    @Test("A class inside another type that a model names is left to be renamed, and other classes' names are reported")
    func namesThatAreTold() throws {
        let ported = try Ported("enum Space { @objc(N) class Note: NSManagedObject {} }\n@objc(P) class Q: NSObject {}")
        #expect(
            ported.byHand == ["1:29: a model finds the class by 'Space.Note': write that where it is called 'N'"])
        #expect(ported.hints.count == 1 && ported.hints[0].contains("'P' for NSClassFromString"))
    }

    @Test("An attribute that conditional compilation leaves out on Linux stays; one that it may leave in goes")
    func conditions() throws {
        let ported = try Ported(
            """
            #if os(iOS) || canImport(AppKit)
            import UIKit
            @objc class A {}
            #elseif DEBUG && !targetEnvironment(simulator)
            @objc class B {}
            #else
            @objc class C {}
            #endif
            #if os(Linux)
            @objc class D {}
            #else
            @objc class E {}
            #endif
            """)
        #expect(
            ported.text == """
                #if os(iOS) || canImport(AppKit)
                import UIKit
                @objc class A {}
                #elseif DEBUG && !targetEnvironment(simulator)
                class B {}
                #else
                class C {}
                #endif
                #if os(Linux)
                class D {}
                #else
                @objc class E {}
                #endif
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test(
        "Initialisers stay as they are",
        arguments: ["public override init", "public required override init", "override private init"])
    func initializer(declaration: String) throws {
        let text = """
            import CoreData
            public class A: NSManagedObject {
                \(declaration)(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
                    super.init(entity: entity, insertInto: context)
                }
            }
            class B: NSMigrationManager {
                init(progress: Progress) { super.init(sourceModel: model, destinationModel: model) }
            }
            """
        let ported = try Ported(text)
        #expect(ported.text == nil || ported.text == text)
        #expect(ported.byHand.isEmpty)
    }

    @Test("The text of a macro's output loses '@objc' too, and a hint names code that searches for it")
    func macroTexts() throws {
        let ported = try Ported(
            #"""
            import SwiftSyntax
            let both = [ "@Managed", "@objc" ]
            let first: [AttributeSyntax] = ["@objc", "@Managed"]
            let alone: [AttributeSyntax] = [ "@objc" ]
            let code: DeclSyntax = """
                @objc(Note)
                @objc public final class Note { @objc var title = \(value) }
                """
            let isMarked = attribute.name == "objc"
            let message = "Declare @objc(Name) yourself"
            """#)
        #expect(
            ported.text == #"""
                import SwiftSyntax
                let both = [ "@Managed" ]
                let first: [AttributeSyntax] = ["@Managed"]
                let alone: [AttributeSyntax] = [  ]
                let code: DeclSyntax = """
                    public final class Note { var title = \(value) }
                    """
                let isMarked = attribute.name == "objc"
                let message = "Declare @objc(Name) yourself"
                """#)
        #expect(
            ported.byHand == [
                "9:34: the macro looks for '@objc', which goes from the sources: it has to do without",
                "10:15: the text speaks of '@objc', which Linux does not have and which goes from the sources",
            ])
    }

    @Test("Strings of other files stay")
    func otherTexts() throws {
        #expect(try Ported("import Foundation\nlet text = \"@objc\"\n").porting.changed.isEmpty)
    }

    @Test("The name of a class with parameters, or inside another type, is asked of Swift wherever it is asked for")
    func namesOfInnerClasses() throws {
        let ported = try Ported(
            """
            class Box<T>: NSObject {}
            class Shelf {
                class Book: NSObject {}
                let book = NSStringFromClass(Book.self)
            }
            let names = [NSStringFromClass(Box<Int>.self), NSStringFromClass(Shelf.Book.self), NSStringFromClass(Shelf.self)]
            let others = [NSStringFromClass(type), NSStringFromClass(Kit.Shelf.self), NSStringFromClass(NSObject.self)]
            enum Space { final class Note: NSManagedObject { let name = NSStringFromClass(Note.self) } }
            """)
        #expect(
            ported.text == """
                import CoreData
                class Box<T>: NSObject {}
                class Shelf {
                    class Book: NSObject {}
                    let book = String(reflecting: Book.self)
                }
                let names = [String(reflecting: Box<Int>.self), String(reflecting: Shelf.Book.self), \
                NSStringFromClass(Shelf.self)]
                let others = [NSStringFromClass(type), NSStringFromClass(Kit.Shelf.self), NSStringFromClass(NSObject.self)]
                enum Space { final class Note: NSManagedObject { let name = NSStringFromClass(Note.self) } }
                """)
    }

    @Test("The methods of a controller's delegate are always there")
    func delegateCalls() throws {
        let ported = try Ported(
            """
            import CoreData
            next?.controllerWillChangeContent?(list)
            next.controllerDidChangeContent?(list)
            next?.controller?(list, didChange: note, at: nil, for: .insert, newIndexPath: path)
            let title = next?.controller?(list, sectionIndexTitleForSectionName: "a")
            view.controller?(list)
            """)
        #expect(
            ported.text == """
                import CoreData
                next?.controllerWillChangeContent(list)
                next.controllerDidChangeContent(list)
                next?.controller(list, didChange: note, at: nil, for: .insert, newIndexPath: path)
                let title = next?.controller(list, sectionIndexTitleForSectionName: "a")
                view.controller?(list)
                """)
    }
}
