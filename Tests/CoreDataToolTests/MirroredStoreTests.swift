import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("Commands on stores that CloudKit mirrors")
struct MirroredStoreTests {
    private static let words = "CloudKit mirrors the store: 7 records, 1 pending upload, 2 pending deletions"

    /// A store of five notes that CloudKit mirrors, a version that it can be brought to, and one that renumbers it.
    private func withMirrored(_ body: (URL, URL) throws -> Void) throws {
        try NotesMigration.with(5) { folder, store in
            try MirroredStore.mirror(store)
            let versions =
                NotesMigration.versions + [
                    (name: "Notes 3", text: "entity Album\nentity Note\n  text string!\n  old string")
                ]
            try FileManager.default.removeItem(at: folder.appendingPathComponent("Notes.momd"))
            try ModelFolder.compiled("Notes", versions, current: "Notes 2", in: folder)
            try body(folder, store)
        }
    }

    private func isSameAccount(_ run: ToolRun, _ store: URL, _ account: [String]) throws {
        #expect(try MirroredStore.account(of: store) == account, "\(run.output)\(run.errors)")
    }

    @Test("info and verify say it with the numbers, and find nothing wrong")
    func reading() throws {
        try withMirrored { folder, _ in
            let info = try ToolRun(["info", "n.sqlite"], in: folder)
            #expect(info.output.contains("CloudKit    mirrors the store: 7 records, 1 pending upload, 2 pending del"))
            #expect(info.status == 0)
            let json = try ToolRun(["info", "n.sqlite", "--json"], in: folder).json() as? [String: Any]
            let numbers = json?["mirror"] as? [String: Int]
            #expect(numbers == ["records": 7, "pendingUploads": 1, "pendingDeletions": 2])
            let verify = try ToolRun(["verify", "n.sqlite"], in: folder)
            #expect(verify.output == "nothing is wrong (5 objects)\n\(Self.words)\n")
            #expect(verify.status == 0)
            let lines = try ToolRun(["verify", "n.sqlite", "--json"], in: folder)
            #expect(lines.output == "" && lines.errors == "coredata: \(Self.words)\n")
            try NotesMigration.with(1) { folder, _ in
                let other = try ToolRun(["info", "n.sqlite"], in: folder)
                #expect(!other.output.contains("CloudKit"))
            }
        }
    }

    @Test("forecast and migrate say it, and refuse to renumber entities without an option")
    func migrating() throws {
        try withMirrored { folder, store in
            let account = try MirroredStore.account(of: store)
            let before = try FolderContents(folder)
            let other = NotesMigration.arguments + ["--to", "Notes 3"]
            let forecast = try ToolRun(["forecast"] + other, in: folder)
            #expect(forecast.status == 1 && forecast.output.contains("\(Self.words)\nIt cannot be migrated:\n"))
            #expect(forecast.output.contains("changes the number of Note"), "\(forecast.output)")
            #expect(forecast.output.contains("never returns to a device: --ignore-cloudkit\n"), "\(forecast.output)")
            let refused = try ToolRun(["migrate"] + other, in: folder)
            #expect(refused.status == 5 && refused.errors.contains("nothing was changed\n"), "\(refused.errors)")
            #expect(refused.errors.contains("changes the number of Note"), "\(refused.errors)")
            #expect(try ToolRun.changes(in: folder, since: before).isEmpty)

            let json = try ToolRun(["forecast"] + NotesMigration.arguments + ["--json"], in: folder).json()
            #expect(((json as? [String: Any])?["mirror"] as? [String: Int])?["pendingDeletions"] == 2)
            let whole = try ToolRun(["migrate"] + NotesMigration.arguments + ["--allow-loss", "Note.old"], in: folder)
            #expect(whole.output == "n.sqlite is of version 'Notes 2' now\n\(Self.words)\n", "\(whole.errors)")
            try isSameAccount(whole, store, account)
            let allowed = try ToolRun(
                ["migrate"] + other + ["--ignore-cloudkit", "--allow-loss", "Note.rank", "--allow-loss", "Note.mark"],
                in: folder)
            #expect(allowed.status == 0, "\(allowed.errors)")
            try isSameAccount(allowed, store, account)
        }
    }

    @Test("repair leaves the tables as they are in the copy, and says so")
    func repairing() throws {
        try withMirrored { folder, store in
            try RawDatabase(store).execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Note'")
            let account = try MirroredStore.account(of: store)
            let run = try ToolRun(["repair", "n.sqlite", "r.sqlite"], in: folder)
            #expect(
                run.output.contains("1 mended, 0 left\n\(Self.words); its tables are as they were"), "\(run.output)")
            for name in ["n.sqlite", "r.sqlite"] {
                try isSameAccount(run, folder.appendingPathComponent(name), account)
            }
            let copy = try ToolRun(["copy", "n.sqlite", "c.sqlite"], in: folder)
            try isSameAccount(copy, folder.appendingPathComponent("c.sqlite"), account)
        }
    }

    @Test("import and convert report that CloudKit does not have the store that they make")
    func importing() throws {
        try withMirrored { folder, store in
            let account = try MirroredStore.account(of: store)
            let export = try ToolRun(["export", "n.sqlite", "--output", "n.jsonl"], in: folder)
            #expect(export.status == 0, "\(export.errors)")
            for arguments in [["import", "i.sqlite", "n.jsonl"], ["convert", "n.sqlite", "x.xml"]] {
                let run = try ToolRun(arguments + ["--json"], in: folder)
                #expect(run.status == 0 && run.errors.contains("has no records"), "\(run.errors)")
                #expect(run.errors.contains("(7 records, 1 pending upload, 2 pending deletions)"), "\(run.errors)")
                #expect(((try run.json() as? [String: Any])?["mirror"] as? [String: Int])?["records"] == 7)
            }
            let imported = folder.appendingPathComponent("i.sqlite")
            #expect(try MirroredStore.account(of: imported).isEmpty)
            try isSameAccount(export, store, account)
            let header = "{\"@coredata\":1,\"store\":\"SQLite\",\"objects\":{},\"mirror\":{\"records\":\"many\"}}"
            let bad = try ToolRun(["import", "b.sqlite"], input: header + "\n", in: folder)
            #expect(bad.status == 3 || bad.status == 5, "\(bad.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("b.sqlite").path))
        }
    }

    // MARK: Models

    private static let entities = """
        <entity name="Photo" representedClassName="Photo">
            <attribute name="title" attributeType="String"/>
            <attribute name="rank" attributeType="Integer 32" defaultValueString="0"/>
            <attribute name="note" optional="YES" attributeType="String"/>
            <attribute name="any" optional="YES" transient="YES" attributeType="String"/>
            <relationship name="owner" maxCount="1" deletionRule="Cascade" destinationEntity="Owner"
                inverseName="photos" inverseEntity="Owner"/>
            <relationship name="place" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Place"/>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="Owner" representedClassName="Owner">
            <relationship name="photos" optional="YES" toMany="YES" ordered="YES" deletionRule="Deny"
                destinationEntity="Photo" inverseName="owner" inverseEntity="Photo"/>
        </entity>
        <entity name="Place" representedClassName="Place">
            <attribute name="town" attributeType="String"/>
        </entity>
        """

    private func cloudKitFindings(_ name: String, in folder: URL) throws -> [String] {
        let list = try ToolRun(["model", "lint", name, "--json"], in: folder).json() as? [[String: Any]] ?? []
        return list.filter { $0["rule"] as? String == "cloudKit" }.map { finding in
            let place = [finding["entity"], finding["property"]].compactMap { $0 as? String }.joined(separator: ".")
            return "\(place): \((finding["message"] as? String ?? "").prefix { $0 != "," && $0 != ";" })"
        }
    }

    private func write(_ name: String, _ attribute: String, _ more: String, in folder: URL) throws {
        let model = try ModelFolder.source(name, Self.entities + more, in: folder).appendingPathComponent("contents")
        let text = try String(contentsOf: model, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "<model ", with: "<model \(attribute) ").utf8).write(to: model)
    }

    @Test("model lint has the rules of a model that is used with CloudKit")
    func lint() throws {
        try withTemporaryFolder { folder in
            try write("Whole", "usedWithCloudKit=\"YES\"", "", in: folder)
            #expect(
                try cloudKitFindings("Whole.xcdatamodel", in: folder) == [
                    "Owner.photos: it is ordered", "Owner.photos: its delete rule is 'deny'",
                    "Photo: title is unique", "Photo.owner: it is mandatory", "Photo.place: it has no inverse",
                    "Photo.title: it is mandatory and has no default value",
                    "Place.town: it is mandatory and has no default value",
                ])
            try write("None", "usedWithCloudKit=\"NO\"", "", in: folder)
            #expect(try cloudKitFindings("None.xcdatamodel", in: folder) == [])
            let part =
                "<configuration name=\"Cloud\" usedWithCloudKit=\"YES\"><memberEntity name=\"Photo\"/>"
                + "<memberEntity name=\"Owner\"/></configuration>"
            try write("Part", "", part, in: folder)
            let found = try cloudKitFindings("Part.xcdatamodel", in: folder)
            #expect(found.contains("Photo.place: it leads out of the configuration 'Cloud'"))
            #expect(found.count == 7 && !found.contains { $0.hasPrefix("Place") })
        }
    }
}
