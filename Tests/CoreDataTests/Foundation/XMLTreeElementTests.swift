import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The parser beneath takes at most ten million bytes at once. Files are larger.
@Suite("Reading large XML files")
struct XMLTreeElementTests {
    private static let letters = 1_000_000

    @Test("The source of a model of more than ten million bytes is read whole")
    func modelSource() throws {
        let note = String(repeating: "n", count: Self.letters)
        let entries = (0..<11).map { "<entry key=\"\($0)\" value=\"\(note)\"/>" }.joined(separator: "\n")
        let source = "<model><entity name=\"E\"><userInfo>\(entries)</userInfo></entity></model>"
        let model = try ModelSourceReader.model(from: Data(source.utf8), file: "M.xml")
        let entity = try #require(model.entitiesByName["E"])
        #expect(entity.userInfo?.count == 11)
        #expect((entity.userInfo?["10"] as? String)?.count == Self.letters)
    }

    @Test("A mapping model that embeds more than ten million bytes is read whole")
    func mappingModelSource() throws {
        let bytes = Data(repeating: 7, count: 8 * Self.letters)
        let text = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let source = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database>
                <object type="XDDEVMAPPINGMODEL" id="z102">
                    <attribute name="sourcemodeldata" type="binary">\(text)</attribute>
                    <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103 z104"></relationship>
                </object>
            </database>
            """
        let objects = try XMLStoreObjects(Data(source.utf8), file: "xcmapping.xml").objects(of: "XDDEVMAPPINGMODEL")
        #expect(objects.first?.data("sourcemodeldata") == bytes)
        #expect(objects.first?.relationships["entitymappings"] == ["z103", "z104"])
    }

    @Test("An XML store with a text of more than ten million bytes is read whole")
    func store() throws {
        let text = String(repeating: "t", count: 11 * Self.letters)
        let source = """
            <database><databaseInfo><UUID>A</UUID></databaseInfo>
            <object type="E" id="z102"><attribute name="text" type="string">\(text)</attribute></object></database>
            """
        let file = try XMLRecordFormat.read(Data(source.utf8))
        guard case .text(let read)? = file.records.first?.values["text"] else {
            Issue.record("no text")
            return
        }
        #expect(read == text)
    }

    @Test(
        "Text that is not well-formed is refused with its line",
        arguments: [("<a>\n<b></a>", 2), ("<a>\n<b>", 2), ("", 1), ("<a>\n</a><", 2)])
    func damaged(text: String, line: Int) {
        let failure = #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(Data(text.utf8)) }
        #expect(failure?.reason.hasPrefix("not well-formed XML") == true)
        #expect(failure?.line == line)
    }

    @Test(
        "Markup at which Foundation's parser stops the process is refused with its line",
        arguments: [
            ("<?xml version=\"1.0\"?>\n<?foo?><a/>", 2), ("<a>\n<?foo?></a>", 2), ("<a/>\n\n<?foo?>", 3),
            ("<?xml?><a/>", 1),
            ("<!DOCTYPE a [<!NOTATION n PUBLIC \"x\">]><a/>", 1),
            ("<!DOCTYPE a [<!NOTATION n SYSTEM \"x\">]><a/>", 1),
            ("<!DOCTYPE a [\n<!ENTITY e SYSTEM \"f\" NDATA n>]><a/>", 2),
            ("<!DOCTYPE a [<!ATTLIST a b CDATA #IMPLIED>]><a/>", 1),
            ("<!DOCTYPE a [<!ENTITY e \"&#60;?foo?>\">]><a>&e;</a>", 1), ("<!DOCTYPE a [<?foo?>]><a/>", 1),
            ("<!--<?foo?>--><a/>", 1), ("<a><![CDATA[<?foo?>]]></a>", 1),
        ])
    func stopping(text: String, line: Int) {
        let failure = #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(Data(text.utf8)) }
        #expect(failure?.line == line)
        #expect(failure?.reason.hasPrefix("a ") == true)
    }

    @Test(
        "Other markup outside of elements is passed over",
        arguments: [
            "<?foo bar?><a/>", "<?foo ?><a/>", "<a><?foo bar?></a>", "<!DOCTYPE a><a/>", "<!DOCTYPE a SYSTEM 'f'><a/>",
            "<!DOCTYPE a PUBLIC 'p' 'f'><a/>", "<!DOCTYPE a []><a/>", "\u{FEFF}<a/>", "<!----><a/>",
            "\u{FEFF}<?xml version='1.0'?><a/>", "<?xml version='1.0'\nstandalone='yes'?>\n<a/>",
        ])
    func passedOver(text: String) throws {
        let root = try XMLTreeElement.parse(Data(text.utf8))
        #expect(root.name == "a")
        #expect(root.text.isEmpty)
        #expect(root.line == text.count { $0 == "\n" } + 1)
    }

    @Test("Attributes and combining marks without end are refused, and great numbers of them are read")
    func endless() throws {
        func attributes(_ count: Int) -> Data { Data(("<a" + (0..<count).map { " b\($0)=''" }.joined() + "/>").utf8) }
        #expect(try XMLTreeElement.parse(attributes(9_000)).attributes.count == 9_000)
        #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(attributes(11_000)) }
        // Text with many equals signs or quotes is none.
        let quotes = String(repeating: "=\"", count: 60_000)
        #expect(try XMLTreeElement.parse(Data("<a>\(quotes)</a>".utf8)).text == quotes)

        let marks = String(repeating: "\u{316}\u{301}", count: 5_000)
        let numbers = String(repeating: "&#x316;&#x301;", count: 5_000)
        for text in ["<a\(marks)/>", "<a b='x\(marks)'/>", "<a b='x\(numbers)'/>", "<a>x\(numbers)</a>"] {
            let failure = #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(Data(text.utf8)) }
            #expect(failure?.reason == "a letter has too many marks")
        }
        let accents = String(repeating: "e\u{316}\u{301}", count: 5_000)
        #expect(try XMLTreeElement.parse(Data("<a>\(accents)</a>".utf8)).text == accents)
    }

    @Test("Elements that are nested without end are refused")
    func nested() {
        let text = String(repeating: "<a>", count: 100_000)
        let failure = #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(Data(text.utf8)) }
        #expect(failure?.reason.contains("nested more than") == true)
    }
}
