import Foundation

/// Inputs that are long, deep or refer to themselves again and again: a fuzzer does not find them in minutes. Each must
/// be read, or refused, as fast as any other.
enum FuzzGrowth {
    /// Combining marks that are sorted before they are compared.
    static let marks = String(repeating: "\u{316}\u{301}", count: 50_000)

    static func predicates() -> [String: Data] {
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        return [
            "parentheses": repeated("(", 20_000) + "a == 1" + repeated(")", 20_000),
            "negations": repeated("NOT ", 20_000) + "a == 1",
            "marks": repeated("!", 20_000) + "a == 1",
            "minus": "a == " + repeated("-", 20_000) + "1",
            "path": "a" + repeated(".b", 20_000) + " == 1",
            "conjunction": repeated("a == 1 AND ", 5_000) + "a == 1",
            "sum": "a == " + repeated("1 + ", 5_000) + "1",
            "powers": "a == " + repeated("2 ** ", 5_000) + "1",
            "braces": "a IN " + repeated("{", 20_000),
            "brackets": "a" + repeated("[b", 20_000),
            "calls": "a == " + repeated("abs(", 20_000),
            "conditions": repeated("TERNARY(", 20_000),
            "doubtful-conditions": repeated("(TERNARY(", 45),
            "doubtful-subqueries": repeated("(SUBQUERY(a, $x, ", 45),
            "doubtful-parentheses": repeated("(", 90) + "a" + repeated(")", 90),
            "subqueries": repeated("SUBQUERY(a, $x, ", 10_000),
            "casts": "a == " + repeated("CAST(", 20_000),
            "list": "a IN {" + repeated("1,", 20_000) + "1}",
            "digits": "a == " + repeated("9", 50_000),
            "escapes": "a == \"" + repeated("\\u0041", 10_000) + "\"",
            "indexes": "a" + repeated("[1]", 20_000) + " == 1",
            "aggregates": repeated("ANY ", 20_000) + "a == 1",
            "marks-of-a-letter": "a\(marks) == 1",
            "pattern": "a MATCHES '\(repeated("\\\\p{L}", 20_000))'",
        ]
        .mapValues { Data($0.utf8) }
    }

    static func modelSources() -> [String: Data] {
        func model(_ body: String) -> Data { Data("<?xml version=\"1.0\"?><model>\(body)</model>".utf8) }
        let chain = (0..<1_500).map { number in
            "<entity name=\"E\(number)\"\(number == 0 ? "" : " parentEntity=\"E\(number - 1)\"")>"
                + "<attribute name=\"a\(number)\" optional=\"YES\" attributeType=\"String\"/></entity>"
        }
        let pairs = (0..<1_500).map { number in
            "<relationship name=\"r\(number)\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"E\" "
                + "inverseName=\"r\(number ^ 1)\" inverseEntity=\"E\"/>"
        }
        let wide = (0..<3_000).map { "<entity name=\"E\($0)\"/>" }
        let attributes = (0..<3_000).map { "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"String\"/>" }
        let deep = String(repeating: "<userInfo>", count: 20_000)
        let composites = (0..<40).map { number in
            "<composite name=\"C\(number)\"><attribute name=\"x\" attributeType=\"Composite\" "
                + "composite=\"C\(number + 1)\"/><attribute name=\"y\" attributeType=\"Composite\" "
                + "composite=\"C\(number + 1)\"/></composite>"
        }
        return [
            "chain": model(chain.joined()), "pairs": model("<entity name=\"E\">\(pairs.joined())</entity>"),
            "wide": model(wide.joined()), "attributes": model("<entity name=\"E\">\(attributes.joined())</entity>"),
            "deep": model(deep),
            "composites": model(
                "<entity name=\"E\"><attribute name=\"c\" optional=\"YES\" attributeType=\"Composite\" "
                    + "composite=\"C0\"/></entity>" + composites.joined()
                    + "<composite name=\"C40\"><attribute name=\"z\" attributeType=\"String\"/></composite>"),
            "many-attributes": Data(("<model" + (0..<200_000).map { " a\($0)=\"\"" }.joined() + "/>").utf8),
            "marks-of-a-letter": model("<entity name=\"E\(marks)\"/>"),
            "marks-by-number": model("<entity name=\"E\(String(repeating: "&#x316;&#x301;", count: 50_000))\"/>"),
            "declaration": Data(("<?xml " + String(repeating: "\"'", count: 2_000_000) + "?><model/>").utf8),
            "exclamations": Data(String(repeating: "<!", count: 500_000).utf8),
            "pattern": model(
                "<entity name=\"E\"><attribute name=\"a\" optional=\"YES\" attributeType=\"String\" regularExpressionString=\""
                    + String(repeating: "\\p{L}", count: 60_000) + "\"/></entity>"),
            "predicate": model(
                "<entity name=\"E\"/><fetchRequest name=\"f\" entity=\"E\" predicateString=\""
                    + String(repeating: "(", count: 10_000) + "\"/>"),
            "entities": Data(
                ("<?xml version=\"1.0\"?><!DOCTYPE model [<!ENTITY a \"aaaaaaaaaa\">"
                    + (0..<9).map { number in
                        let name = "abcdefghij".dropFirst(number + 1).prefix(1)
                        let inner = "abcdefghij".dropFirst(number).prefix(1)
                        return "<!ENTITY \(name) \"" + String(repeating: "&\(inner);", count: 10) + "\">"
                    }.joined() + "]><model><entity name=\"&j;\"/></model>").utf8),
        ]
    }

    /// Objects that overlap: many that are the same bytes of the file.
    static func overlappingObjects() -> Data {
        var list = PlainPropertyList()
        let count = 20_000
        list.beginData(count: 60_000)
        let offset = list.bytes.count - 6
        list.bytes.append(contentsOf: [UInt8](repeating: 7, count: 60_000))
        let array = list.bytes.count
        list.beginArray(count: count)
        for index in 0..<count { list.append(index, size: 4) }
        return list.finished(offsets: [Int](repeating: offset, count: count) + [array], top: count)
    }
}

/// Writes a binary property list byte by byte: also one that no writer makes.
struct PlainPropertyList {
    var bytes = Array("bplist00".utf8)

    mutating func append(_ number: Int, size: Int) {
        for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
    }

    mutating func beginData(count: Int) { begin(0x4F, count) }

    mutating func beginArray(count: Int) { begin(0xAF, count) }

    private mutating func begin(_ marker: UInt8, _ count: Int) {
        bytes += [marker, 0x12]
        append(count, size: 4)
    }

    func finished(offsets: [Int], top: Int) -> Data {
        var list = self
        let table = bytes.count
        for offset in offsets { list.append(offset, size: 4) }
        list.bytes += [0, 0, 0, 0, 0, 0, 4, 4]
        for number in [offsets.count, top, table] { list.append(number, size: 8) }
        return Data(list.bytes)
    }
}
