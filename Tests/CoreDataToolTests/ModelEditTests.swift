import CoreData
import CoreDataTool
import Foundation
import TestSupport
import Testing

@Suite("coredata model new, model edit and model add-version")
struct ModelEditTests {
    private func edit(_ folder: URL, _ arguments: String...) throws -> ToolRun {
        try ToolRun(["model", "edit", "Library.xcdatamodeld"] + arguments, in: folder)
    }

    private func contents(_ folder: URL, _ version: String = "Library") throws -> String {
        try String(
            contentsOf: folder.appendingPathComponent("Library.xcdatamodeld/\(version).xcdatamodel/contents"),
            encoding: .utf8)
    }

    /// A folder with a model of two entities.
    private func withLibrary(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let new = try ToolRun(["model", "new", "Library"], in: folder)
            try #require(new.status == 0 && new.output == "Library.xcdatamodeld\n", "\(new.errors)")
            let run = try edit(
                folder, "--add-entity", "Book", "--add-entity", "Author", "--add-attribute", "Book.title:String",
                "--add-attribute", "Book.pages:Integer32", "--add-attribute", "Author.name:String optional=NO",
                "--add-relationship", "Author.books:Book*/author")
            try #require(run.status == 0 && run.output.isEmpty, "\(run.errors)")
            try body(folder)
        }
    }

    @Test("A new model is as Xcode writes one, and each edit stands where Xcode writes it")
    func new() throws {
        try withTemporaryFolder { folder in
            #expect(try ToolRun(["model", "new", "Library"], in: folder).status == 0)
            #expect(try contents(folder).hasSuffix("userDefinedModelVersionIdentifier=\"\">\n</model>"))
            let list = folder.appendingPathComponent("Library.xcdatamodeld/.xccurrentversion")
            #expect(try String(contentsOf: list, encoding: .utf8).contains("\t<string>Library.xcdatamodel</string>\n"))
            let again = try ToolRun(["model", "new", "Library"], in: folder)
            #expect(again.status == 5 && again.errors.contains("is there already"))
        }
        try withLibrary { folder in
            let elements = try contents(folder).split(separator: "\n").dropFirst(2).joined(separator: "\n")
            let expected = """
                    <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
                        <attribute name="name" attributeType="String"/>
                        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" \
                destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                    </entity>
                    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
                        <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="0" \
                usesScalarValueType="YES"/>
                        <attribute name="title" optional="YES" attributeType="String"/>
                        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
                destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                    </entity>
                </model>
                """
            #expect(elements == expected)
        }
    }

    @Test("A renaming changes what names the property, and writes its identifier once a version is kept")
    func renaming() throws {
        try withLibrary { folder in
            #expect(try edit(folder, "--rename", "Book.title=name").status == 0)
            #expect(try !contents(folder).contains("elementID"))
            let added = try ToolRun(["model", "add-version", "Library.xcdatamodeld"], in: folder)
            #expect(added.output == "Library 2\n", "\(added.errors)")
            let before = try contents(folder)
            #expect(try contents(folder, "Library 2") == before)
            let run = try edit(folder, "--rename", "Book=Publication", "--rename", "Author.books=works")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try contents(folder) == before)
            let after = try contents(folder, "Library 2")
            #expect(
                after.contains(
                    "<entity name=\"Publication\" representedClassName=\"Publication\" elementID=\"Book\" syncable"))
            #expect(after.contains("inverseName=\"works\" inverseEntity=\"Author\""))
            #expect(
                after.contains(
                    "destinationEntity=\"Publication\" inverseName=\"author\" inverseEntity=\"Publication\" "
                        + "elementID=\"books\"/>"))
            // A second renaming keeps the identifier, and one back to the former name removes it.
            #expect(try edit(folder, "--rename", "Publication.name=headline").status == 0)
            #expect(try edit(folder, "--rename", "Publication.headline=heading").status == 0)
            #expect(
                try contents(folder, "Library 2").contains(
                    "name=\"heading\" optional=\"YES\" attributeType=\"String\" elementID=\"name\""))
            #expect(try edit(folder, "--rename", "Publication.heading=name").status == 0)
            #expect(try !contents(folder, "Library 2").contains("elementID=\"name\""))
            let url = folder.appendingPathComponent("Library.xcdatamodeld")
            let versions = try NSManagedObjectModel.versions(contentsOf: url)
            #expect(versions.map(\.isCurrent) == [false, true])
            let mapping = try NSMappingModel.inferredMappingModel(
                forSourceModel: versions[0].model, destinationModel: versions[1].model)
            #expect(mapping.entityMappings?.contains { $0.sourceEntityName == "Book" } == true)
        }
    }

    @Test("Edits set and remove values, properties and entities, and change no other line")
    func setting() throws {
        try withLibrary { folder in
            let lines = try contents(folder).split(separator: "\n")
            let run = try edit(
                folder, "--set", "Book.title.optional=NO", "--set", "Author.isAbstract=YES", "--set",
                "usedWithCloudKit=YES")
            #expect(run.status == 0, "\(run.errors)")
            let changed = try contents(folder).split(separator: "\n")
            let different = zip(lines, changed).filter { $0 != $1 }.map { String($0.1) }
            #expect(changed.count == lines.count && different.count == 3, "\(different)")
            #expect(different[0].contains("sourceLanguage=\"Swift\" usedWithCloudKit=\"YES\" userDefined"))
            #expect(different[1].contains("representedClassName=\"Author\" isAbstract=\"YES\" syncable"))
            #expect(different[2].contains("name=\"title\" attributeType=\"String\""))
            #expect(
                try edit(
                    folder, "--set", "Book.title.optional=YES", "--set", "Author.isAbstract=", "--set",
                    "usedWithCloudKit="
                ).status == 0)
            #expect(try contents(folder).split(separator: "\n") == lines)
            let shown = try edit(folder, "--dry-run", "--remove", "Book.author")
            #expect(shown.output.contains("-        <relationship name=\"author\""), "\(shown.output)")
            #expect(try contents(folder).split(separator: "\n") == lines)
            #expect(try edit(folder, "--remove", "Book.author", "--remove", "Book.pages").status == 0)
            #expect(try contents(folder).split(separator: "\n").count == lines.count - 2)
            let refused = try edit(folder, "--remove", "Book")
            #expect(refused.status == 5 && refused.errors.contains("the destination entity 'Book' is not in the model"))
            #expect(try edit(folder, "--remove", "Author.books", "--remove", "Book").status == 0)
            #expect(try !contents(folder).contains("Book"))
        }
    }

    @Test("Two names can be exchanged, in one edit with other renamings")
    func exchanging() throws {
        try withLibrary { folder in
            _ = try ToolRun(["model", "add-version", "Library.xcdatamodeld"], in: folder)
            let run = try edit(
                folder, "--rename", "Book=Author", "--rename", "Author=Book", "--rename", "Book.title=pages",
                "--rename",
                "Book.pages=title")
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            let text = try contents(folder, "Library 2")
            #expect(!text.contains("renamed-"))
            #expect(
                text.contains("<entity name=\"Author\" representedClassName=\"Author\" elementID=\"Book\""), "\(text)")
            #expect(text.contains("<entity name=\"Book\" representedClassName=\"Book\" elementID=\"Author\""))
            #expect(text.contains("name=\"pages\" optional=\"YES\" attributeType=\"String\" elementID=\"title\""))
            #expect(text.contains("destinationEntity=\"Author\" inverseName=\"author\" inverseEntity=\"Author\""))
            // The exchange back leaves what was there, in the order in which the entities now stand.
            #expect(
                try edit(
                    folder, "--rename", "Book=Author", "--rename", "Author=Book", "--rename", "Author.title=pages",
                    "--rename", "Author.pages=title"
                ).status == 0)
            #expect(
                try contents(folder, "Library 2").split(separator: "\n").sorted()
                    == contents(folder).split(separator: "\n").sorted())
        }
    }

    @Test("Types, flags and rules are written as Xcode writes them, and composites are added")
    func normalising() throws {
        try withLibrary { folder in
            let run = try edit(
                folder, "--add-composite", "Place", "--add-attribute", "Place.shelf:string", "--add-attribute",
                "Book.place:Composite composite=Place", "--set", "Book.pages.attributeType=int64", "--set",
                "Author.isAbstract=true", "--set", "Book.title.optional=no", "--set",
                "Author.books.deletionRule=cascade")
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            let text = try contents(folder)
            #expect(text.contains("attributeType=\"Integer 64\""))
            #expect(text.contains("isAbstract=\"YES\""))
            #expect(text.contains("<attribute name=\"title\" attributeType=\"String\"/>"))
            #expect(text.contains("deletionRule=\"Cascade\""))
            #expect(
                text.contains(
                    "    <composite name=\"Place\">\n        <attribute name=\"shelf\" optional=\"YES\" "
                        + "attributeType=\"String\"/>\n    </composite>"), "\(text)")
            #expect(text.contains("name=\"place\" optional=\"YES\" attributeType=\"Composite\" composite=\"Place\""))
            for path in [".", "..", "Models/"] {
                let refused = try ToolRun(["model", "new", path], in: folder)
                #expect(refused.status == 2 && refused.errors.contains("names no model"), "\(refused.errors)")
            }
            let single = try ToolRun(["model", "new", "One.xcdatamodel"], in: folder)
            #expect(single.status == 2 && single.errors.contains("ends in .xcdatamodeld"), "\(single.errors)")
        }
    }

    private static let refusals: [(arguments: [String], words: String)] = [
        (["--add-attribute", "Bok.title:String"], "has no entity 'Bok'; is 'Book' meant?"),
        (["--add-attribute", "Book.isbn:Strng"], "unknown attribute type 'Strng'; is 'String' meant?"),
        (["--add-attribute", "Book.isbn:Integer 32"], "A type has no space, such as Integer32."),
        (["--add-attribute", "Book.isbn"], "it is written as ENTITY.NAME:TYPE"),
        (["--add-attribute", "Book.title:String"], "'Book' has 'title' already"),
        (["--add-attribute", "Book.isbn:String optinal=NO"], "no attribute 'optinal'; is 'optional' meant?"),
        (["--add-entity", "Book"], "the model has 'Book' already"),
        (["--add-entity", "Novel:Bok"], "the parent entity 'Bok' is not in the model"),
        (["--add-relationship", "Book.shop:Shop"], "the destination entity 'Shop' is not in the model"),
        (["--add-relationship", "Author.novels:Book*/author"], "has the inverse 'Author.books' already"),
        (["--rename", "Book.titel=name"], "'Book' has no property 'titel'; is 'title' meant?"),
        (["--rename", "Book.title=pages"], "'Book' has 'pages' already"),
        (["--rename", "Book.title"], "it is written as ENTITY=NAME or ENTITY.PROPERTY=NAME"),
        (["--add-entity", "Big-Book"], "'Big-Book' is no name in Swift"),
        (["--add-attribute", "Book.2nd:String"], "'2nd' is no name in Swift"),
        (["--add-relationship", "Author.works:Book*/by#"], "'by#' is no name in Swift"),
        (["--rename", "Book=Big-Book"], "'Big-Book' is no name in Swift"),
        (["--set", "Book.title.optional=maybe"], "optional is 'maybe'"),
        (["--set", "Author.books.deletionRule=Casade"], "deletionRule is 'Casade'; is 'Cascade' meant?"),
        (["--set", "Book.codeGenerationType=clas"], "codeGenerationType is 'clas'; is 'class' meant?"),
        (
            ["--add-attribute", "Book.shelf:Composite composite=Shelf"], "the composite 'Shelf' is not in the model"
        ),
        (
            ["--add-attribute", "Book.sorted:String derived=YES derivationExpression=canonical:(tilte)"],
            "Book.sorted: no store can compute canonical:(tilte)"
        ),
        (["--set", "Book.title.renamingIdentifier=x"], "Xcode keeps it as 'elementID'"),
        (["--set", "Book.title.name=x"], "use '--rename'"),
        (["--set", "Book.title.attributeType=Text"], "unknown attribute type 'Text'"),
        (["--set", "Book.author.maxCount=3"], "maxCount is 3 without toMany"),
        ([], "no edit is given"),
    ]

    @Test("An edit that does not fit is refused, and nothing is written")
    func refusals() throws {
        try withLibrary { folder in
            let before = try contents(folder)
            for (arguments, words) in Self.refusals {
                let run = try ToolRun(["model", "edit", "Library.xcdatamodeld"] + arguments, in: folder)
                #expect([2, 5].contains(run.status) && run.errors.contains(words), "\(run.errors)")
            }
            #expect(try contents(folder) == before)
        }
    }

    @Test("A file in another layout keeps its quotes, its line ends, its comments and the order of its attributes")
    func layout() throws {
        try withTemporaryFolder { folder in
            let version = folder.appendingPathComponent("Odd.xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let text = """
                <?xml version='1.0'?>
                <!-- <entity name="Book"/> -->
                <model>
                \t<entity syncable='YES'
                \t\tname='Book' ><!-- é --></entity>
                \t<entity name="A&amp;B"/><entity
                  name="C"/>
                </model>

                """.replacing("\n", with: "\r\n")
            let file = version.appendingPathComponent("contents")
            try Data(text.utf8).write(to: file)
            let run = try ToolRun(
                [
                    "model", "edit", "Odd.xcdatamodel", "--add-attribute", "Book.title:String", "--add-attribute",
                    "A&B.size:Double", "--rename", "Book=Its",
                ], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let expected =
                text.replacing("name='Book'", with: "name='Its'")
                .replacing(
                    " ><!-- é",
                    with: " >\r\n\t\t<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>\r\n\t<!-- é"
                )
                .replacing(
                    "<entity name=\"A&amp;B\"/>",
                    with: "<entity name=\"A&amp;B\">\r\n\t\t<attribute name=\"size\" optional=\"YES\" "
                        + "attributeType=\"Double\" defaultValueString=\"0.0\" usesScalarValueType=\"YES\"/>\r\n\t</entity>"
                )
            #expect(try String(contentsOf: file, encoding: .utf8) == expected)
        }
    }

    @Test("A version that is added changes one line of the list, and keeps the name that is taken")
    func versions() throws {
        try withLibrary { folder in
            let list = folder.appendingPathComponent("Library.xcdatamodeld/.xccurrentversion")
            let text = try String(contentsOf: list, encoding: .utf8)
                .replacing("<dict>", with: "<dict><!-- ours -->\n  <key>other</key><string>x</string>")
            try Data(text.utf8).write(to: list)
            let run = try ToolRun(["model", "add-version", "Library.xcdatamodeld", "Spring & all"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                try String(contentsOf: list, encoding: .utf8)
                    == text.replacing("Library.xcdatamodel", with: "Spring &amp; all.xcdatamodel"))
            let again = try ToolRun(["model", "add-version", "Library.xcdatamodeld", "spring & ALL"], in: folder)
            #expect(again.status == 5 && again.errors.contains("already"))
            #expect(try ToolRun(["model", "add-version", "Library.xcdatamodeld"], in: folder).output == "Library 3\n")
            let suffixed = try ToolRun(
                ["model", "add-version", "Library.xcdatamodeld", "Autumn.xcdatamodel"], in: folder)
            #expect(suffixed.output == "Autumn\n", "\(suffixed.errors)")
        }
    }

    @Test("model lint reports what the reader passes over, with line and column")
    func lint() throws {
        try withTemporaryFolder { folder in
            _ = try ModelFolder.source(
                "Odd",
                "<entity name=\"Book\">\n  <attribute name=\"title\" optinal=\"YES\" attributeType=\"String\"/>\n</entity>",
                in: folder)
            let run = try ToolRun(["model", "lint", "Odd.xcdatamodel"], in: folder)
            #expect(run.status == 1 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output.contains("  line 4: <attribute name=\"title\">: the attribute 'optinal' is not known"))
            let json = try ToolRun(["model", "lint", "Odd.xcdatamodel", "--json"], in: folder).json()
            let first = (json as? [[String: Any]])?.first
            #expect(first?["rule"] as? String == "source")
            #expect(first?["line"] as? Int == 4 && first?["column"] as? Int == 3)
            _ = try ModelFolder.source(
                "Shared",
                "<entity name=\"A\" representedClassName=\"X\"/><entity name=\"B\" representedClassName=\"X\">"
                    + "<attribute name=\"d\" attributeType=\"String\" derived=\"YES\" "
                    + "derivationExpression=\"canonical:(c)\"/></entity>", in: folder)
            let shared = try ToolRun(["model", "lint", "Shared.xcdatamodel"], in: folder)
            #expect(shared.output.contains("A: A and B have the class X: its fetchRequest()"), "\(shared.output)")
            #expect(shared.output.contains("B.d: no store can compute canonical:(c)"), "\(shared.output)")
            _ = try ModelFolder.source(
                "Sum",
                "<entity name=\"Item\"><attribute name=\"rank\" attributeType=\"Integer 16\"/><fetchIndex name=\"sum\">"
                    + "<fetchIndexElement expression=\"rank + 1\" type=\"Binary\"/></fetchIndex></entity>", in: folder)
            let source = try ToolRun(["model", "lint", "Sum.xcdatamodel"], in: folder)
            #expect(source.output.components(separatedBy: "no column holds the values of 'rank + 1'").count == 2)
            _ = try ToolRun(["model", "compile", "Sum.xcdatamodel", "-o", "Sum.mom"], in: folder)
            let compiled = try ToolRun(["model", "lint", "Sum.mom"], in: folder)
            #expect(compiled.output.contains("  Item: index 'sum': no column holds the values of 'rank + 1'"))
            // A program that opens a store with a compiled model writes a line.
            let model = try #require(NSManagedObjectModel(contentsOf: folder.appendingPathComponent("Sum.mom")))
            try withStore(folder.appendingPathComponent("Sum.sqlite"), model) { _ in }
            let lines = try ToolRun(["export", "Sum.sqlite"], in: folder).output
            let written = try ToolRun(["import", "Copy.sqlite"], input: lines, in: folder)
            #expect(
                written.errors.components(separatedBy: "CoreData: warning: Item, index 'sum': no column").count == 2,
                "\(written.errors)")
        }
        try withLibrary { folder in
            _ = try ToolRun(["model", "add-version", "Library.xcdatamodeld"], in: folder)
            try FileManager.default.removeItem(
                at: folder.appendingPathComponent("Library.xcdatamodeld/.xccurrentversion"))
            let run = try ToolRun(["model", "lint", "Library.xcdatamodeld"], in: folder)
            #expect(run.output.contains("  .xccurrentversion, line 1: no file says which of the 2 versions"))
        }
    }
}
