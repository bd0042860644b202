import CoreData
import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import CoreDataTool

@Suite("coredata model diagram and compile, coredata generate")
struct ModelFilesTests {
    // MARK: diagram

    @Test("The graph has every entity and relationship once, and every text escaped")
    func diagram() throws {
        let model = ModelText.model(ModelFolder.library[0].text)
        model.entitiesByName["Volume"]?.name = "V<script>\"&\u{1B}"
        let graph = ModelDiagram.dot(model, title: "<b>&")
        #expect(graph.contains("label=<&lt;b&gt;&amp;>"))
        #expect(graph.contains("<b>V&lt;script&gt;&quot;&amp;\u{FFFD}</b>"))
        #expect(!graph.contains("<script"))
        #expect(graph.components(separatedBy: " -> ").count == 2)
        #expect(graph.contains("e0:p0 -> e1:p0 [dir=both, arrowhead=crowodot, arrowtail=teeodot];"), "\(graph)")
        #expect(graph.contains(">books: V&lt;script&gt;&quot;&amp;\u{FFFD} ∗?<"))
        #expect(graph.contains("name: String<") && graph.contains("isbn: String?<"))
    }

    @Test("The error without Graphviz says where it comes from; the graph itself is printed all the same")
    func noGraphviz() throws {
        try ModelFolder.withLibrary { folder, _ in
            let run = try ToolRun(["model", "diagram", "Library.momd"], environment: ["PATH": "/nowhere"], in: folder)
            #expect(run.status == 5)
            #expect(run.errors.contains("Graphviz is not installed") && run.errors.contains("bin/setup --tool"))
            let graph = try ToolRun(
                ["model", "diagram", "Library.momd", "--dot"], environment: ["PATH": "/nowhere"], in: folder)
            #expect(graph.status == 0)
            #expect(graph.output.hasPrefix("digraph model {"))
            let dash = try ToolRun(["model", "diagram", "Library.momd", "--dot", "-o", "-"], in: folder)
            #expect(dash.output == graph.output && !FileManager.default.fileExists(atPath: "\(folder.path)/-"))
        }
    }

    private static let hasGraphviz = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        "The drawing is an SVG that has every name, and overwrites nothing",
        .enabled(if: hasGraphviz, "Graphviz is not installed (bin/setup --tool)"))
    func drawing() throws {
        try ModelFolder.withLibrary { folder, _ in
            let run = try ToolRun(["model", "diagram", "Library.momd", "-o", "l.svg"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let svg = try Data(contentsOf: folder.appendingPathComponent("l.svg"))
            #expect(XMLParser(data: svg).parse())
            let text = String(decoding: svg, as: UTF8.self)
            for name in ["Author", "Book", "Shelf", "books", "subtitle"] { #expect(text.contains(name)) }
            let again = try ToolRun(["model", "diagram", "Library.momd", "-o", "l.svg"], in: folder)
            #expect(again.status == 5)
            #expect(again.errors == "coredata: l.svg is there already; nothing was written\n--force overwrites it.\n")
            #expect(try Data(contentsOf: folder.appendingPathComponent("l.svg")) == svg)
            #expect(
                try ToolRun(["model", "diagram", "Library.momd", "-o", "l.svg", "--force"], in: folder).status == 0)
        }
    }

    @Test(
        "Every real model is drawn and linted", .enabled(if: Corpus.isPresent && hasGraphviz, "\(Corpus.absence)"))
    func corpusDrawing() throws {
        var drawn = 0
        for path in Corpus.paths(where: { $0.hasSuffix(".xcdatamodeld") && !$0.contains("@history") }).prefix(25) {
            guard (try? NSManagedObjectModel.read(contentsOf: Corpus.url(path))) != nil else { continue }
            let run = try ToolRun(["model", "diagram", Corpus.url(path).path])
            #expect(run.status == 0, "\(path): \(run.errors)")
            #expect(XMLParser(data: Data(run.output.utf8)).parse(), "\(path)")
            let lint = try ToolRun(["model", "lint", Corpus.url(path).path, "--json"])
            let findings = try #require(try lint.json() as? [Any])
            #expect(lint.status == (findings.isEmpty ? 0 : 1), "\(path): \(lint.errors)")
            drawn += 1
        }
        #expect(drawn > 5)
    }

    // MARK: compile, generate

    private static let photo = """
        <entity name="Photo" representedClassName="Photo" codeGenerationType="class">
            <attribute name="title" optional="YES" attributeType="String"/>
        </entity>
        """

    @Test("A compiled model has the hashes of its source; an existing file is overwritten by force alone")
    func compile() throws {
        try withTemporaryFolder { folder in
            let source = try ModelFolder.source("Photos", Self.photo, in: folder)
            let run = try ToolRun(["model", "compile", "Photos.xcdatamodel", "--output", "Photos.mom"], in: folder)
            #expect(run.output == "Photos.mom: Photos (current)\n", "\(run.errors)")
            let compiled = try NSManagedObjectModel.read(contentsOf: folder.appendingPathComponent("Photos.mom"))
            let hashes = try NSManagedObjectModel.read(contentsOf: source).entityVersionHashesByName
            #expect(compiled.entityVersionHashesByName == hashes)
            let again = try ToolRun(["model", "compile", "Photos.xcdatamodel", "--output", "Photos.mom"], in: folder)
            #expect(again.status == 5)
            let forced = try ToolRun(
                ["model", "compile", "Photos.xcdatamodel", "--output", "Photos.mom", "--force"], in: folder)
            #expect(forced.status == 0)
            #expect(try ToolRun(["model", "compile", "Photos.mom", "-o", "Other.mom"], in: folder).status == 3)
            #expect(try ToolRun(["model", "compile", "Photos.xcdatamodel", "-o", "Other.txt"], in: folder).status == 2)
            #expect(try ToolRun(["model", "compile", "Photos.xcdatamodel"], in: folder).status == 2)
        }
    }

    @Test("Of a store whose model a program made, the command names the indexes that readers of the file will add")
    func impliedIndexes() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Book\n  title string")
            let book = try #require(model.entitiesByName["Book"])
            let title = try #require(book.attributesByName["title"])
            book.indexes = [
                NSFetchIndexDescription(
                    name: "byTitle",
                    elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
            ]
            try withStore(folder.appendingPathComponent("Books.sqlite"), model) { _ in }
            let run = try ToolRun(["model", "compile", "Books.sqlite", "-o", "Books.mom"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains("a new store of it has indexes that this one lacks: Book.title\n"))
            let compiled = try NSManagedObjectModel.read(contentsOf: folder.appendingPathComponent("Books.mom"))
            #expect(compiled.entitiesByName["Book"]?.indexes.map(\.name) == ["title", "byTitle"])
            try withStore(folder.appendingPathComponent("New.sqlite"), compiled) { _ in }
            let again = try ToolRun(["model", "compile", "New.sqlite", "-o", "New.mom"], in: folder)
            #expect(!again.output.contains("lacks"))
        }
    }

    @Test("Classes are those of the plugin, and overwrite nothing")
    func generate() throws {
        try withTemporaryFolder { folder in
            _ = try ModelFolder.source("Photos", Self.photo, in: folder)
            let printed = try ToolRun(["generate", "Photos.xcdatamodel"], in: folder)
            #expect(printed.output.contains("public class Photo: NSManagedObject {}"))
            #expect(printed.output.contains("public var title: String? {"))
            let run = try ToolRun(["generate", "Photos.xcdatamodel", "--output", "Sources"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let file = folder.appendingPathComponent("Sources/Photos+ModelClasses.swift")
            #expect(try String(contentsOf: file, encoding: .utf8) == printed.output)
            try Data("mine".utf8).write(to: file)
            let again = try ToolRun(["generate", "Photos.xcdatamodel", "--output", "Sources"], in: folder)
            #expect(again.status == 5)
            #expect(again.errors.contains("Photos+ModelClasses.swift is there already; nothing was written"))
            #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
            let forced = try ToolRun(["generate", "Photos.xcdatamodel", "--output", "Sources", "--force"], in: folder)
            #expect(forced.status == 0)
            #expect(try String(contentsOf: file, encoding: .utf8) == printed.output)
        }
    }

    @Test("A model whose classes are written by hand has none to generate, and a compiled one no source")
    func nothingToGenerate() throws {
        try withTemporaryFolder { folder in
            _ = try ModelFolder.source(
                "Photos", Self.photo.replacingOccurrences(of: " codeGenerationType=\"class\"", with: ""), in: folder)
            let run = try ToolRun(["generate", "Photos.xcdatamodel", "--output", "Sources"], in: folder)
            #expect(run.status == 1)
            #expect(run.errors.contains("no entity of Photos.xcdatamodel asks for a class"))
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Sources").path))
            try ModelFolder.compiled("Library", ModelFolder.library, current: "Library", in: folder)
            let compiled = try ToolRun(["generate", "Library.momd"], in: folder)
            #expect(compiled.status == 3)
            #expect(compiled.errors.contains("Library.momd: this is no model's source"))
        }
    }
}
