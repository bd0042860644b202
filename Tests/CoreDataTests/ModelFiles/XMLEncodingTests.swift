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

    @Test("Bytes of an unknown encoding are refused, and not read as those of another one")
    func refused() throws {
        #expect(throws: XMLTreeElement.Failure.self) { try Self.parsed("é", .isoLatin1, declared: "ISO-8859-15") }
    }

    @Test("Markup that another encoding hides is refused before the parser sees it")
    func hidden() throws {
        let long = String(repeating: " ", count: 500)
        for declaration in [
            "<?xml version='1.0' encoding='UTF-7'?>", "<?xml version='1.0'\(long)encoding='UTF-7'?>",
            "\u{FEFF}<?xml version='1.0' encoding='utf-7'?>",
            "<?xml version='1.0'?><?xml version='1.0' encoding='UTF-7'?>",
        ] {
            let text = "\(declaration)<a>+ADw?foo?+AD4-</a>"
            #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(Data(text.utf8)) }
        }
        let stopping = "<a><?foo?></a>"
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian] {
            let data = try #require(stopping.data(using: encoding))
            #expect(throws: XMLTreeElement.Failure.self) { try XMLTreeElement.parse(data) }
        }
    }

    @Test("A text that is also valid UTF-8 is read by the encoding that it declares")
    func declared() throws {
        #expect(try Self.parsed("é", .utf8, declared: "ISO-8859-1") == "Ã©")
        #expect(try Self.parsed("e", .utf8, declared: "us-ascii") == "e")
    }
}
