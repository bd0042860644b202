import Foundation
import Testing

@testable import CoreData

@Suite
struct BinaryPropertyListTests {
    private let sample: PropertyListValue = .dictionary([
        "none": .null, "yes": .boolean(true), "no": .boolean(false),
        "numbers": .array([0, 1, 127, 128, 255, 256, 65535, 65536, 1 << 32, -1, .min, .max].map { .integer($0) }),
        "reals": .array([.real(0.5), .real(-1e300), .real(.infinity)]), "date": .date(-3600.25),
        "data": .data(Data(0..<200)), "empty": .data(Data()), "ascii": .string("plain"),
        "unicode": .string("äöü 📚"), "long": .string(String(repeating: "x", count: 300)),
        "uids": .array([.reference(0), .reference(255), .reference(256), .reference(70000)]),
        "nested": .array([.array([.dictionary(["a": .array([])])])]),
    ])

    @Test("A written list is read again")
    func roundTrip() throws {
        #expect(try BinaryPropertyListReader.read(BinaryPropertyListWriter.write(sample)) == sample)
    }

    @Test("Foundation reads a written list, and the reader reads Foundation's")
    func foundation() throws {
        let value: PropertyListValue = .dictionary([
            "name": .string("Zoë"), "count": .integer(-5), "ratio": .real(0.25), "flag": .boolean(true),
            "list": .array([.data(Data([1, 2])), .date(10)]),
        ])
        let read = try #require(
            try PropertyListSerialization.propertyList(
                from: BinaryPropertyListWriter.write(value), options: [], format: nil) as? [String: Any])
        #expect(read["name"] as? String == "Zoë")
        #expect(read["count"] as? Int == -5)
        #expect(read["ratio"] as? Double == 0.25)
        #expect((read["list"] as? [Any])?.last as? Date == Date(timeIntervalSinceReferenceDate: 10))
        let written = try PropertyListSerialization.data(fromPropertyList: read, format: .binary, options: 0)
        #expect(try BinaryPropertyListReader.read(written) == value)
    }

    @Test("a list that is cut off anywhere is refused")
    func truncation() throws {
        let data = BinaryPropertyListWriter.write(sample)
        for length in 0..<data.count {
            #expect(throws: NSError.self, "\(length)") { try BinaryPropertyListReader.read(data.prefix(length)) }
        }
    }

    @Test("a list whose data lie over each other and have more bytes than the file is refused")
    func overlap() throws {
        // A list of three data, of 20, 16 and 12 bytes. Each but the first begins within the one before it.
        var list = Data("bplist00".utf8)
        list.append(contentsOf: [0xA3, 1, 2, 3])
        list.append(contentsOf: [0x4F, 0x10, 20, 0x4F, 0x10, 16, 0x4F, 0x10, 12])
        list.append(contentsOf: [UInt8](repeating: 0, count: 14))
        list.append(contentsOf: [8, 12, 15, 18])
        list.append(contentsOf: [0, 0, 0, 0, 0, 0, 1, 1])
        for number in [4, 0, 35] as [UInt64] { withUnsafeBytes(of: number.bigEndian) { list.append(contentsOf: $0) } }
        let error = #expect(throws: NSError.self) { try BinaryPropertyListReader.read(list) }
        #expect(error?.localizedDescription.contains("lie over each other") == true)
    }
}
