import CoreData
import TestSupport
import Testing

@testable import CoreDataModelCompiler

@Suite("The plugin's job for a target", .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct JobTests {
    private let book = """
        import CoreData
        public class Book: NSManagedObject {
            @NSManaged public var title: String?
            @NSManaged private var secret: Int
            @NSManaged func addToTags(_ tag: Book)
        }
        """

    @Test("Accessors carry the compiler's names, the declared type and the access level")
    func accessors() throws {
        let module = try SampleModule("Kit", ["Book.swift": book])
        try module.run()
        let text = try module.accessors(ofFile: "Book.swift")
        #expect(text.contains("dynamic final public var _managed_Kit_Book_title: String? {"))
        #expect(text.contains("@_silgen_name(\"$s3Kit4BookC5titleSSSgvg\") get { slot0.value(of: self) }"))
        #expect(text.contains("@_silgen_name(\"$s3Kit4BookC5titleSSSgvs\") set { slot0.set(newValue, of: self) }"))
        #expect(text.contains("dynamic final internal var _managed_Kit_Book_secret: Int {"))
        #expect(text.contains("@_silgen_name(\"$s3Kit4BookC9addToTagsyyACF\")"))
        #expect(text.contains("private let slot2 = ManagedSlot(\"tags\")"))
    }

    @Test("Files that got their first @NSManaged since the plugin was asked share one output")
    func others() throws {
        var module = try SampleModule(
            "Kit", ["Book.swift": book, "New.swift": "import CoreData\nextension Book { @NSManaged var new: Int }\n"])
        module.unplanned = ["New.swift"]
        try module.run()
        #expect(try module.accessors(ofFile: "Book.swift").contains("_managed_Kit_Book_title"))
        let text = try module.otherAccessors()
        #expect(text.contains("$s3Kit4BookC3newSivg") && !text.contains("title"))
    }

    @Test("Nested and generic classes, inherited nested types and overridden members get their accessors")
    func nested() throws {
        let module = try SampleModule(
            "Kit",
            [
                "Book.swift": """
                import CoreData
                enum Space {
                    class Item: NSManagedObject {
                        enum Kind: Int32 { case a }
                        @NSManaged var parent: Item?
                        @NSManaged var title: String?
                    }
                }
                class Base<T: NSManagedObject>: Space.Item { @NSManaged var many: Set<T> }
                class Leaf: Base<Space.Item> {
                    @NSManaged var kind: Kind
                    override var title: String? { get { super.title } set { super.title = newValue } }
                }
                """
            ])
        try module.run()
        let text = try module.accessors(ofFile: "Book.swift")
        #expect(text.contains("$s3Kit5SpaceO4ItemC6parentAESgvg"))
        #expect(text.contains("$s3Kit4BaseC4manyShyxGvs"))
        #expect(text.contains("$s3Kit4LeafC4kindAA5SpaceO4ItemC4KindOvg"))
    }

    @Test("Arguments that make no sense are refused", arguments: [["module"], ["modules", "x"], ["module", "x"]])
    func arguments(_ arguments: [String]) {
        #expect(throws: ArgumentError.self) { try Job(arguments: arguments) }
    }

    @Test("Types of other modules: their kind comes from their sources, aliases and generated classes included")
    func dependencies() throws {
        let base = try SampleModule(
            "Base",
            [
                "Types.swift": """
                import Foundation
                public enum Colour: Int16 { case red }
                public typealias Words = [Colour: Set<Word>]
                public struct Word: Hashable { public class Shape {} }
                """
            ],
            model: "<entity name='Author' representedClassName='Author' codeGenerationType='class'/>")
        var kit = try SampleModule(
            "Kit",
            [
                "Book.swift": """
                import CoreData
                import Base
                class Book: NSManagedObject {
                    @NSManaged var words: Words?
                    @NSManaged var shape: Base.Word.Shape?
                    @NSManaged var author: Author?
                    @NSManaged var request: NSFetchRequest<NSManagedObject>?
                }
                """
            ])
        kit.dependencies = [base]
        try kit.run()
        let text = try kit.accessors(ofFile: "Book.swift")
        #expect(text.contains("$s3Kit4BookC5wordsSDy4Base6ColourOShyAE4WordVGGSgvg"))
        #expect(text.contains("$s3Kit4BookC5shape4Base4WordV5ShapeCSgvg"))
        #expect(text.contains("$s3Kit4BookC6author4Base6AuthorCSgvg"))
        #expect(text.contains("8CoreData14NSFetchRequestCy"))
    }

    @Test("Members of debug builds alone, and members that only other builds or flags have, get their accessors")
    func debugConditions() throws {
        let module = try SampleModule(
            "Kit",
            [
                "Book.swift": """
                import CoreData
                class Book: NSManagedObject {
                    #if DEBUG
                        @NSManaged var kind: Int
                    #elseif OTHER
                        @NSManaged var kind: Bool
                    #else
                        @NSManaged var kind: String?
                    #endif
                }
                """
            ])
        try module.run()
        let text = try module.accessors(ofFile: "Book.swift")
        #expect(text.contains("#if (DEBUG)\n") && text.contains("$s3Kit4BookC4kindSivg"))
        #expect(text.contains("#if !(DEBUG) && !(OTHER)\n") && text.contains("$s3Kit4BookC4kindSSSgvg"))
        #expect(text.contains("#if !(DEBUG) && (OTHER)\n") && text.contains("$s3Kit4BookC4kindSbvg"))
    }

    @Test("Nothing is written again, and the compiler not asked again, when the declarations are the same")
    func unchanged() throws {
        let module = try SampleModule("Kit", ["Book.swift": book])
        try module.run()
        let file = module.output.appendingPathComponent("Book+ManagedAccessors.swift")
        let before = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
        let source = module.folder.url.appendingPathComponent("Book.swift")
        try Data((book + "\nfunc added() {}\n").utf8).write(to: source)
        try FileManager.default.removeItem(at: module.output.appendingPathComponent("probe"))
        try module.run()
        #expect(try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate == before)
        #expect(!FileManager.default.fileExists(atPath: module.output.appendingPathComponent("probe").path))
    }

    /// The text of the error that a job ends with.
    private func failure(_ module: SampleModule) -> String {
        do {
            try module.run()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("A name the model does not have is an error with file, line and column")
    func unknownName() throws {
        let module = try SampleModule(
            "Kit",
            ["Book.swift": "import CoreData\nclass Book: NSManagedObject {\n    @NSManaged var titel: String?\n}"],
            model:
                "<entity name='Book' representedClassName='.Book'><attribute name='title' attributeType='String'/></entity>"
        )
        #expect(
            failure(module).hasSuffix(
                "Book.swift:3:20: error: 'titel' is not a property of entity 'Book' in model 'Kit'"))
    }

    @Test("A declaration that the compiler refuses gets a warning and no accessors")
    func unknownType() throws {
        let module = try SampleModule(
            "Kit",
            [
                "Book.swift": """
                import CoreData
                class Book: NSManagedObject {
                    @NSManaged var x: Nowhere?
                    @NSManaged var y: String?
                    @NSManaged var z
                }
                """
            ])
        let warnings = try module.run()
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("Book.swift:3:") == true)
        #expect(warnings.first?.contains("cannot find type 'Nowhere' in scope") == true)
        #expect(warnings.first?.contains("error:") == false)
        #expect(try !module.accessors(ofFile: "Book.swift").contains("_managed_"))
    }

    @Test("A type that only the file can see, and a method that no source has, are errors at the declaration")
    func hidden() throws {
        let module = try SampleModule(
            "Kit",
            [
                "Book.swift": """
                import CoreData
                private enum Kind: Int16 { case one }
                class Book: NSManagedObject {
                    @NSManaged private var kind: Kind
                    @NSManaged func open()
                }
                """
            ])
        let text = failure(module)
        #expect(
            text.contains("Book.swift:4:28: error: the accessors of 'kind' are written outside this file and cannot"))
        #expect(text.contains("Book.swift:5:21: error: 'open' is no method that @NSManaged can implement"))
    }

    @Test("A damaged model is an error at its line and column of the version's contents")
    func damagedModel() throws {
        let module = try SampleModule("Kit", [:], model: "<entity name='A' parentEntity='B'/>")
        #expect(
            failure(module).hasSuffix(
                "Kit.xcdatamodeld/Kit.xcdatamodel/contents:1:8: error: <entity name=\"A\">: the parent entity 'B' is "
                    + "not in the model. Add it, or remove parentEntity."), "\(failure(module))")
    }

    @Test("The compiled model names a class of the module with the module; one that is elsewhere stays as written")
    func classNames() throws {
        let module = try SampleModule(
            "Kit", ["Book.swift": "import CoreData\nclass Book: NSManagedObject {}"],
            model: """
                <entity name='Book' representedClassName='.Book'/><entity name='Shelf' representedClassName='.Shelf'/>\
                <entity name='Tag' representedClassName='.Tag' codeGenerationType='class'/>
                """)
        try module.run()
        let model = try #require(NSManagedObjectModel(contentsOf: module.bundle))
        #expect(
            model.entitiesByName.mapValues(\.managedObjectClassName)
                == ["Book": "Kit.Book", "Shelf": ".Shelf", "Tag": "Kit.Tag"])
    }

    @Test("A model without versions is compiled to one file, with the module's classes")
    func loneModel() throws {
        let module = try SampleModule("Kit", ["Book.swift": "import CoreData\nclass Book: NSManagedObject {}"])
        let source = module.folder.url.appendingPathComponent("Lone.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data("<model><entity name='Book' representedClassName='.Book'/></model>".utf8)
            .write(to: source.appendingPathComponent("contents"))
        let output = module.folder.url.appendingPathComponent("Lone.mom")
        try ModelBundleCompiler.compile(source, to: output, module: "Kit", classes: ["Book"])
        let model = try #require(NSManagedObjectModel(contentsOf: output))
        #expect(model.entitiesByName.mapValues(\.managedObjectClassName) == ["Book": "Kit.Book"])
        let archive = try Data(contentsOf: output)
        #expect(try ModelArchive.decode(archive).entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("The compiled bundle is the model: versions, the current one, hashes; versions that went are removed")
    func bundle() throws {
        let module = try SampleModule(
            "Kit", [:], model: "<entity name='A'><attribute name='x' optional='YES' attributeType='String'/></entity>")
        let source = module.folder.url.appendingPathComponent("Kit.xcdatamodeld")
        let second = source.appendingPathComponent("Kit 2.xcdatamodel")
        try FileManager.default.createDirectory(at: second, withIntermediateDirectories: true)
        try Data("<model><entity name='B'/></model>".utf8).write(to: second.appendingPathComponent("contents"))
        try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": "Kit 2.xcdatamodel"], format: .xml, options: 0
        ).write(to: source.appendingPathComponent(".xccurrentversion"))
        try module.run()
        let model = try #require(NSManagedObjectModel(contentsOf: module.bundle))
        #expect(model.entities.map(\.name) == ["B"])
        let versions = try ModelBundle.versions(at: module.bundle)
        #expect(versions.keys.sorted() == ["Kit", "Kit 2"])
        let original = try ModelBundle.versions(at: source)
        for (name, version) in versions {
            #expect(version.entityVersionHashesByName == original[name]?.entityVersionHashesByName)
        }
        #expect(
            try NSManagedObjectModel.checksumsForVersionedModel(at: module.bundle)
                == NSManagedObjectModel.checksumsForVersionedModel(at: source))
        try FileManager.default.removeItem(at: source.appendingPathComponent("Kit.xcdatamodel"))
        try module.run()
        #expect(try ModelBundle.versions(at: module.bundle).keys.sorted() == ["Kit 2"])
    }
}
