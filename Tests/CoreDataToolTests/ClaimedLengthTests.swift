import CoreData
import Foundation
import TestSupport
import Testing

/// Files that claim a length of a billion bytes, read by a program that has less memory than that: an allocation of as
/// much would end it.
@Suite("A length that a file claims allocates nothing")
struct ClaimedLengthTests {
    /// Kilobytes of addresses. A whole store is read within them.
    private static let memory = 700_000
    private static let billion = 1_000_000_000

    private static let model = """
        entity Item
          name string
          picture data
        """

    private func run(_ arguments: String...) throws -> ToolRun {
        try ToolRun(
            ["-c", "ulimit -v \(Self.memory); exec \"$0\" \"$@\"", ToolRun.program.path] + arguments,
            program: URL(fileURLWithPath: "/bin/sh"))
    }

    /// Expects that the program ends by itself, with the name of the file that it cannot read.
    private func expectRefused(_ run: ToolRun, _ note: String) {
        #expect([1, 3, 5].contains(run.status), "\(note): \(run.status) \(run.output)\(run.errors)")
        #expect(!(run.output + run.errors).contains("Fatal error"), "\(note): \(run.errors)")
        #expect(!(run.output + run.errors).isEmpty, "\(note)")
    }

    /// A store with one item, as one file.
    private func makeStore(in folder: URL, _ name: String = "Store") throws -> URL {
        let url = folder.appendingPathComponent("\(name).sqlite")
        try withStore(url, ModelText.model(Self.model)) { context in
            context.make("Item", ["name": "one", "picture": Data(repeating: 0x41, count: 300)])
            try context.save()
        }
        try RawDatabase(url).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return url
    }

    private func change(_ url: URL, _ body: (inout [UInt8]) throws -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: url))
        try body(&bytes)
        try Data(bytes).write(to: url)
    }

    private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    // MARK: SQLite

    /// SQLite's numbers of variable length, of up to 35 bits.
    private static func varint(_ number: Int) -> [UInt8] {
        var bytes = [UInt8(number & 0x7f)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    /// Has the only row of a table claim a value of a billion bytes.
    private func claimLongValue(in url: URL) throws {
        let database = try RawDatabase(url)
        let root = try #require(try database.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZITEM'"))
        let columns = try database.columns(of: "ZITEM")
        let picture = try #require(columns.firstIndex(of: "ZPICTURE"))
        try change(url) { bytes in
            let size = FileDamage.pageSize(of: Data(bytes))
            let page = (Int(root) - 1) * size
            try #require(bytes[page] == 13 && bytes[page + 4] == 1)
            // Every column is nil but the one that is long; a blob of n bytes has the type 12 + 2n.
            let types = columns.indices.flatMap { $0 == picture ? Self.varint(12 + 2 * Self.billion) : [0] }
            let header = [UInt8(types.count + 1)] + types
            // As much of it lies in the page as the format prescribes where the rest fills whole pages.
            let least = (size - 12) * 32 / 255 - 23
            let length = (header.count + Self.billion - least) / (size - 4) * (size - 4) + least
            let local = header + [UInt8](repeating: 0x41, count: least - header.count)
            let cell = Self.varint(length) + [1] + local + Self.bigEndian(2, 4)
            let place = size - cell.count
            bytes.replaceSubrange(page + place..<page + size, with: cell)
            bytes.replaceSubrange(page + 5..<page + 7, with: Self.bigEndian(place, 2))
            bytes.replaceSubrange(page + 8..<page + 10, with: Self.bigEndian(place, 2))
        }
    }

    @Test("A row of a SQLite file that claims a length is refused")
    func row() throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(in: folder)
            let whole = try run("fetch", url.path, "Item")
            #expect(whole.status == 0 && whole.output.contains("one"), "\(whole.errors)")
            try claimLongValue(in: url)
            expectRefused(try run("fetch", url.path, "Item"), "fetch")
            expectRefused(try run("verify", url.path), "verify")
            expectRefused(
                try run("salvage", url.path, "-o", folder.appendingPathComponent("New.sqlite").path), "salvage")
        }
    }

    @Test("The claimed numbers of pages of a SQLite file, and of its free ones, allocate nothing")
    func pages() throws {
        for place in [28, 32, 36] {
            try withTemporaryFolder { folder in
                let url = try makeStore(in: folder)
                try change(url) { $0.replaceSubrange(place..<place + 4, with: Self.bigEndian(Self.billion, 4)) }
                for command in ["verify", "info"] {
                    let run = try run(command, url.path)
                    #expect([0, 1, 3].contains(run.status), "\(place) \(command): \(run.status) \(run.errors)")
                }
                let salvaged = try run("salvage", url.path, "-o", folder.appendingPathComponent("New.sqlite").path)
                #expect([0, 1].contains(salvaged.status), "\(place): \(salvaged.status) \(salvaged.errors)")
            }
        }
    }

    // MARK: Property lists

    /// A binary property list whose only object claims a length, or whose end claims a number of objects.
    private static func list(_ object: [UInt8], objects: Int = 1) -> Data {
        let start = Array("bplist00".utf8) + object
        let end: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 1, 1]
        return Data(start + end + bigEndian(objects, 8) + bigEndian(0, 8) + bigEndian(start.count, 8))
    }

    private static let lists: [(name: String, data: Data)] =
        [("data", 0x4f), ("text", 0x5f), ("UTF-16", 0x6f), ("array", 0xaf), ("set", 0xcf), ("dictionary", 0xdf)].map {
            ($0.0, list([UInt8($0.1), 0x12] + bigEndian(billion, 4)))
        } + [("objects", list([0xd0], objects: billion))]

    @Test("A property list's claim is refused in metadata, in models of stores and files, and in binary stores")
    func propertyLists() throws {
        for (name, data) in Self.lists {
            try withTemporaryFolder { folder in
                for (table, column) in [("Z_METADATA", "Z_PLIST"), ("Z_MODELCACHE", "Z_CONTENT")] {
                    let url = try makeStore(in: folder, table)
                    _ = try RawDatabase(url).rows("UPDATE \(table) SET \(column) = ?", [.blob(data)])
                    expectRefused(try run("fetch", url.path, "Item"), "\(name), \(table)")
                }
                let model = folder.appendingPathComponent("Model.mom")
                try data.write(to: model)
                expectRefused(try run("model", "show", model.path), "\(name), a model")
                let binary = folder.appendingPathComponent("Store.binary")
                try data.write(to: binary)
                expectRefused(try run("info", binary.path), "\(name), a binary store")
            }
        }
    }

    /// A dictionary with twelve levels of arrays: each refers ten times to the next one.
    private static var endlessList: Data {
        let levels = (3..<15).map { [0xaa] + [UInt8](repeating: $0, count: 10) }
        let objects: [[UInt8]] = [[0xd1, 1, 2], [0x51, 0x61]] + levels + [[0x51, 0x7a]]
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let end = bigEndian(objects.count, 8) + bigEndian(0, 8) + bigEndian(bytes.count, 8)
        return Data(bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + end)
    }

    @Test("A small property list with a billion values is refused in metadata, and in the first line of an export")
    func referencesWithoutEnd() throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(in: folder)
            _ = try RawDatabase(url).rows("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(Self.endlessList)])
            expectRefused(try run("fetch", url.path, "Item"), "metadata")
            let export = folder.appendingPathComponent("Export.jsonl")
            let metadata = Self.endlessList.base64EncodedString()
            let line = """
                {"@coredata":1,"store":"SQLite","identifier":null,"metadata":"\(metadata)","versionHashes":{},\
                "model":null,"objects":{}}

                """
            try Data(line.utf8).write(to: export)
            let imported = try run("import", folder.appendingPathComponent("New.sqlite").path, export.path)
            #expect(imported.status != 0 && imported.errors.contains("these are no metadata"), "\(imported.errors)")
        }
    }
}
