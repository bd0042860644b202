import CoreData
import Foundation
import Testing

struct XMLEncodingTests {
    private static func parsed(_ encoding: String.Encoding, declared name: String) throws -> String? {
        let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?>\n<a b=\"é ж €\"/>"
        let data = try #require(text.data(using: encoding, allowLossyConversion: true))
        return try XMLTreeElement.parse(data).attributes["b"]
    }

    @Test("XML is read by the encoding that it declares")
    func encodings() throws {
        #expect(try Self.parsed(.utf8, declared: "UTF-8") == "é ж €")
        #expect(try Self.parsed(.utf16, declared: "UTF-16") == "é ж €")
        #expect(try Self.parsed(.isoLatin1, declared: "ISO-8859-1")?.first == "é")
        #expect(try Self.parsed(.windowsCP1252, declared: "windows-1252")?.hasSuffix("€") == true)
        #expect(try Self.parsed(.windowsCP1251, declared: "Windows-1251")?.contains("ж") == true)
    }

    @Test("Bytes of an encoding that is not known are refused, and not read as those of another one")
    func refused() throws {
        #expect(throws: XMLTreeElement.Failure.self) {
            try Self.parsed(.windowsCP1252, declared: "ISO-8859-15")
        }
    }
}
