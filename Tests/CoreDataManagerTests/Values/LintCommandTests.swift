import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata lint")
struct LintCommandTests {
    private func lint(_ arguments: String...) throws -> (output: String, status: Int32) {
        let end = try ChildProgram("coredata", ["lint"] + arguments).wait()
        return (end.output, end.status)
    }

    @Test("A store is checked by the model that lies in it")
    func store() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 3)
            let clean = try lint(url.path)
            #expect(clean.output == "n.sqlite: nothing to say about sizes (3 values measured)\n")
            #expect(clean.status == 0)
            try RawDatabase(url).execute("UPDATE ZNOTE SET ZTEXT = printf('%.*c', 200000, 'x') WHERE Z_PK = 1")
            let found = try lint(url.path)
            #expect(found.output.contains("Note.text: one value is too large for a row, the largest has 195 KB"))
            #expect(found.status == 1)
        }
    }

    @Test("A model source is checked by itself")
    func modelSource() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let model = folder.appendingPathComponent("Photos.xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let source = """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Photo" representedClassName="Photo">
                        <attribute name="pixels" optional="YES" attributeType="Binary"/>
                    </entity>
                </model>
                """
            try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
            let found = try lint(model.path)
            #expect(found.output.hasPrefix("Photos.xcdatamodel:\n  Photo.pixels: values of any size lie in the rows"))
            #expect(found.status == 1)
        }
    }

    @Test("The lint command refuses files that do not exist")
    func missing() throws {
        #expect(try lint("/nowhere/n.sqlite").status == 3)
        #expect(try lint().status == 2)
    }
}
