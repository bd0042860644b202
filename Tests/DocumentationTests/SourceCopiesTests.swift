import Foundation
import TestSupport
import Testing

// No function of ten lines or more exists twice, neither in one module nor in two of them.
@Suite("Copies among the sources")
struct SourceCopiesTests {
    /// The limit for two functions: eight of ten common runs of five words and marks are a copy with other names.
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
        let code = text.code
        let tokens = text.tokens
        var found: [Function] = []
        for place in tokens.indices where place + 1 < tokens.count && tokens[place] == "func" {
            // The body begins behind the parameters; a requirement of a protocol has none.
            var (start, depth) = (place + 1, 0)
            while start < tokens.count {
                if tokens[start] == "(" { depth += 1 }
                if tokens[start] == ")" { depth -= 1 }
                if depth == 0, ["{", "}", "func"].contains(tokens[start]) { break }
                start += 1
            }
            guard start < tokens.count, tokens[start] == "{" else { continue }
            var end = start
            depth = 0
            repeat {
                if tokens[end] == "{" { depth += 1 }
                if tokens[end] == "}" { depth -= 1 }
                end += 1
            } while depth > 0 && end < tokens.count
            let body = code[tokens[start].startIndex..<tokens[end - 1].endIndex]
            let filled = body.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
            guard filled.count - 2 >= lines, end - start >= runLength else { continue }
            let words = tokens[start..<end]
            let runs = Set(words.indices.dropLast(runLength - 1).map { words[$0..<$0 + runLength].hashValue })
            found.append(
                Function(path: path, name: String(tokens[place + 1]), place: place..<end, runs: runs))
        }
        return found
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
        let found = (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        // A file behind links is there once: two modules may be compiled of one source.
        let files = Set(found.map { $0.resolvingSymlinksInPath() })
        #expect(files.count > 300)
        let functions = try files.flatMap { file in
            let path = String(file.path.dropFirst(root.path.count + 1))
            return Self.functions(try PackageFiles.source("Sources/\(path)"), path)
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
