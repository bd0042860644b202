import Foundation
import TestSupport
import Testing

// No function of ten lines or more exists twice, neither in one module nor in two of them.
@Suite("Copies among the sources")
struct SourceCopiesTests {
    /// What two functions may have in common: eight of ten runs of five words and marks are a copy with other names.
    private static let limit = 0.8
    private static let runLength = 5
    private static let lines = 10

    private struct Function {
        let path: String
        let name: String
        /// Where it stands among the words of its source.
        let place: Range<Int>
        let runs: Set<Int>

        var label: String { "\(path): \(name)" }

        func isWithin(_ other: Function) -> Bool {
            path == other.path && place.clamped(to: other.place) == place
        }
    }

    /// The functions of a source that have at least `lines` lines with code in their bodies.
    private static func functions(_ text: SourceText, _ path: String) -> [Function] {
        let code = Array(text.code.utf8)
        let tokens = ranges(of: code)
        func word(_ place: Int) -> String { String(decoding: code[tokens[place]], as: UTF8.self) }
        var found: [Function] = []
        for place in tokens.indices where place + 1 < tokens.count && word(place) == "func" {
            var (start, depth) = (place + 1, 0)
            // The body begins behind the parameters; a requirement of a protocol has none.
            while start < tokens.count {
                let mark = code[tokens[start].lowerBound]
                if mark == UInt8(ascii: "(") { depth += 1 }
                if mark == UInt8(ascii: ")") { depth -= 1 }
                if depth == 0, mark == UInt8(ascii: "{") || mark == UInt8(ascii: "}") || word(start) == "func" { break }
                start += 1
            }
            guard start < tokens.count, code[tokens[start].lowerBound] == UInt8(ascii: "{") else { continue }
            var end = start
            depth = 0
            repeat {
                let mark = code[tokens[end].lowerBound]
                if mark == UInt8(ascii: "{") { depth += 1 }
                if mark == UInt8(ascii: "}") { depth -= 1 }
                end += 1
            } while depth > 0 && end < tokens.count
            let body = code[tokens[start].lowerBound..<tokens[end - 1].upperBound]
            let filled = body.split(separator: UInt8(ascii: "\n")).filter { $0.contains { $0 > 0x20 } }
            guard filled.count - 2 >= lines, end - start >= runLength else { continue }
            let words = (start..<end).map { word($0) }
            let runs = Set(words.indices.dropLast(runLength - 1).map { words[$0..<$0 + runLength].hashValue })
            found.append(Function(path: path, name: word(place + 1), place: place..<end, runs: runs))
        }
        return found
    }

    private static func ranges(of code: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var place = 0
        while place < code.count {
            let start = place
            func isOfWord(_ byte: UInt8) -> Bool {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            }
            while place < code.count, isOfWord(code[place]) { place += 1 }
            if place == start { place += 1 }
            if code[start] > 0x20 { ranges.append(start..<place) }
        }
        return ranges
    }

    /// The pairs of functions that have more in common than the limit, by the smaller one of each.
    private static func copies(among functions: [Function]) -> [(Set<String>, Double)] {
        var holders: [Int: [Int]] = [:]
        for (number, function) in functions.enumerated() {
            for run in function.runs { holders[run, default: []].append(number) }
        }
        var shared: [Int: Int] = [:]
        for numbers in holders.values where numbers.count > 1 && numbers.count < 40 {
            for (place, one) in numbers.enumerated() {
                for other in numbers[(place + 1)...] { shared[one * functions.count + other, default: 0] += 1 }
            }
        }
        return shared.compactMap { pair, count in
            let (one, other) = (functions[pair / functions.count], functions[pair % functions.count])
            let part = Double(count) / Double(max(one.runs.count, other.runs.count))
            if part < limit || one.isWithin(other) || other.isWithin(one) { return nil }
            return ([one.label, other.label], part)
        }
    }

    @Test("No function of ten lines or more exists twice")
    func copies() throws {
        let root = Toolchain.package.appendingPathComponent("Sources").resolvingSymlinksInPath()
        let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let files = (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        #expect(files.count > 300)
        let functions = try files.flatMap { file in
            Self.functions(
                SourceText(try String(contentsOf: file, encoding: .utf8)),
                String(file.resolvingSymlinksInPath().path.dropFirst(root.path.count + 1)))
        }
        #expect(functions.count > 1_000)
        for (pair, part) in Self.copies(among: functions) {
            Issue.record("\(pair.sorted()) have \(Int(part * 100)) % in common")
        }
    }

    @Test("A copy with another name and another word is found, another function is not")
    func search() {
        let lines = (0..<12).map { "    let value\($0) = read(column: \($0), of: table) + offset" }
        let one = SourceText("func one() {\n\(lines.joined(separator: "\n"))\n}\n")
        let other = SourceText("func other() {\n\(lines.joined(separator: "\n"))\n    finish()\n}\n")
        let third = SourceText("func third() {\n\(lines.map { $0 + " * \(lines.count)" }.joined(separator: "\n"))\n}\n")
        let functions = [one, other, third].enumerated().flatMap { Self.functions($1, "\($0)") }
        #expect(functions.map(\.label) == ["0: one", "1: other", "2: third"])
        #expect(Self.copies(among: functions).contains { $0.0 == ["0: one", "1: other"] })
        let short = SourceText("func short() {\n    a()\n    b()\n}\nprotocol P {\n    func none(a: Int)\n}\n")
        #expect(Self.functions(short, "").isEmpty)
    }
}
