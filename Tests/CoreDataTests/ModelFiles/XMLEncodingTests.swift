import CoreData
import Foundation
import Testing

struct XMLEncodingTests {
    private static func parsed(_ value: String, _ encoding: String.Encoding, declared name: String) throws -> String? {
        let text = "<?xml version=\"1.0\" encoding = '\(name)' standalone=\"yes\"?>\n<a b=\"\(value)\"/>"
        return try XMLTreeElement.parse(try #require(text.data(using: encoding))).attributes["b"]
    }

    @Test("XML is read by the encoding that it declares")
    func encodings() throws {
        #expect(try Self.parsed("é ж €", .utf8, declared: "UTF-8") == "é ж €")
        #expect(try Self.parsed("é ж €", .utf16, declared: "UTF-16") == "é ж €")
        #expect(try Self.parsed("é", .isoLatin1, declared: "ISO-8859-1") == "é")
        #expect(try Self.parsed("ł", .isoLatin2, declared: "ISO-8859-2") == "ł")
        #expect(try Self.parsed("€", .windowsCP1252, declared: "windows-1252") == "€")
        #expect(try Self.parsed("ж", .windowsCP1251, declared: "Windows-1251") == "ж")
    }

    @Test("Bytes of an encoding that is not known are refused, and not read as those of another one")
    func refused() throws {
        #expect(throws: XMLTreeElement.Failure.self) { try Self.parsed("é", .isoLatin1, declared: "ISO-8859-15") }
    }
}
