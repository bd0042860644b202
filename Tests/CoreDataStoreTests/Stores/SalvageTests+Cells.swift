import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Leaves whose pointers, or rows, are damaged, and rows of the table of definitions.
extension SalvageTests {
    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }

    @Test("Keys of damaged rows do not outweigh that of a whole row behind them")
    func keysOfDamagedRows() throws {
        var last: Int64 = 0
        try salvage { bytes, database in
            let leaf = try #require(
                try database.integer(
                    "SELECT pageno FROM dbstat WHERE name = 'ZAUTHOR' AND pagetype = 'leaf' ORDER BY ncell DESC LIMIT 1"
                ))
            let start = (Int(leaf) - 1) * Self.pageSize
            let count = Self.number(bytes, at: start + 3)
            for (index, key) in [(count - 3, [0x90, 0x76]), (count - 2, [0xC1, 0x03])] as [(Int, [UInt8])] {
                let cell = start + Self.number(bytes, at: start + 8 + 2 * index)
                // A row of two thousand bytes, with a key far behind those of the page.
                for (place, byte) in ([0x8F, 0x50] + key).enumerated() { bytes[cell + place] = byte }
            }
            let cell = start + Self.number(bytes, at: start + 8 + 2 * (count - 1))
            // A key below 128, or one of two bytes.
            last = Int64(bytes[cell + 1] & 0x7F)
            if bytes[cell + 1] & 0x80 != 0 { last = last << 7 | Int64(bytes[cell + 2]) }
        } _: { salvaged in
            let keys = try RawDatabase(salvaged.url).column("SELECT Z_PK FROM ZAUTHOR").compactMap(\.int)
            #expect(Set(keys) == Set(1...150).subtracting([last - 1, last - 2]))
        }
    }

    @Test("A damaged pointer brings back no deleted row: one that makes the sizes fit, and one that leads to it")
    func damagedPointers() throws {
        // The place of the sixth row becomes free behind that of the seventh, so that all of its bytes stay. It is four
        // bytes shorter than all other rows.
        let statements = """
            PRAGMA secure_delete = OFF;
            UPDATE ZTAG SET Z_OPT = 1, ZNAME = 'x' || char(1, 1, 1, 1);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 6, Z_ENT, 1, 't' FROM ZTAG WHERE Z_PK = 1;
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 7, Z_ENT, 1, 't' FROM ZTAG WHERE Z_PK = 1;
            UPDATE ZTAG SET ZNAME = hex(zeroblob(100)) WHERE Z_PK = 1;
            DELETE FROM ZTAG WHERE Z_PK = 7;
            DELETE FROM ZTAG WHERE Z_PK = 6
            """
        for lost in [3, 4] as [Int64] {
            try salvage(statements: statements) { bytes, database in
                let start = (try Self.root(of: "ZTAG", database) - 1) * Self.pageSize
                #expect(bytes[start] == 13 && Self.number(bytes, at: start + 3) == 5)
                let pointers = start + 8
                // The bytes of a text in the form of a row of four bytes, or the row that was deleted.
                let second = Self.number(bytes, at: pointers + 2)
                let target = lost == 3 ? second + Int(bytes[start + second]) - 1 : Self.number(bytes, at: pointers + 10)
                let place = pointers + 2 * (Int(lost) - 1)
                (bytes[place], bytes[place + 1]) = (UInt8(target >> 8), UInt8(target & 0xFF))
            } _: { salvaged in
                let keys = try RawDatabase(salvaged.url).column("SELECT Z_PK FROM ZTAG").compactMap(\.int)
                #expect(Set(keys) == Set([1, 2, 3, 4, 5]).subtracting([lost]))
            }
        }
    }

    @Test("A table whose name is damaged is found by its other names, or by its rows", arguments: [[0], [0, 7]])
    func damagedNames(_ places: [Int]) throws {
        try salvage { bytes, _ in
            let place = try #require(Data(bytes).range(of: Data("tableZAUTHORZAUTHOR".utf8))?.lowerBound)
            for offset in places { bytes[place + 5 + offset + 3] = UInt8(7 + offset) }
        } _: { salvaged in
            #expect(salvaged.count("Author") == 150 && salvaged.count("Profile") == 150)
            #expect(salvaged.report.findings.allSatisfy { $0.kind == .file }, "\(salvaged.report.findings)")
        }
    }
}
