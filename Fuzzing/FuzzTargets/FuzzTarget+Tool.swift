import CoreDataTool
import Foundation
import StudioServer

// What the tool reads: exports, and requests of the page in the browser.
extension FuzzTarget {
    /// Inputs of an even length become SQLite stores, inputs of an odd length XML stores.
    static let importing = FuzzTarget(
        "import", suffixes: ["jsonl"],
        seeds: { ["export.jsonl": try exported(FuzzBase.sqlite)] },
        growth: {
            var lines = try exported(FuzzBase.sqlite).split(separator: UInt8(ascii: "\n"))
            let header = lines.removeFirst()
            func export(_ lines: [Data]) -> Data { Data(([header] + lines).joined(separator: [UInt8(ascii: "\n")])) }
            return [
                "deep": export([Data(String(repeating: "[", count: 100_000).utf8)]),
                "deep-header": Data(String(repeating: "{\"a\":", count: 100_000).utf8),
                "long-number": export([Data(String(repeating: "9", count: 100_000).utf8)]),
                "empty-lines": export(Array(repeating: Data(), count: 50_000)),
                "marks-of-a-letter": export([Data("{\"a\(FuzzGrowth.marks)\":1}".utf8)]),
                "repeated": export(Array(repeating: lines, count: 200).flatMap(\.self)),
            ]
        },
        words: FuzzWords.json + [
            "\"@coredata\":1", "\"@id\":", "\"store\":", "\"SQLite\"", "\"XML\"", "\"identifier\":", "\"metadata\":",
            "\"model\":",
            "\"versionHashes\":", "\"objects\":", "\"Person/1\"", "\"Person/2\"", "\"Child/3\"", "\"Place/1\"",
            "\"Being/9\"",
            "\"bytes\":", "\"day\":", "\"flag\":", "\"large\":", "\"object\":", "\"picture\":", "\"price\":",
            "\"ratio\":",
            "\"visits\":", "\"wards\":", "\"guardian\":", "\"title\":", "\"residents\":",
        ],
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.jsonl") { file in
                let suffix = bytes.count.isMultiple(of: 2) ? "sqlite" : "xml"
                let store = file.deletingPathExtension().appendingPathExtension(suffix)
                let arguments = try Arguments([store.path, file.path], of: ImportCommand.page)
                _ = try ImportCommand(arguments).run(.keeping())
            }
        })

    private static func exported(_ store: Data) throws -> Data {
        try FuzzFolder.withFile(store, named: "Fuzz.sqlite") { file in
            let export = file.deletingPathExtension().appendingPathExtension("jsonl")
            let arguments = try Arguments([file.path, "-o", export.path], of: ExportCommand.page)
            _ = try ExportCommand(arguments).run(.keeping())
            return try Data(contentsOf: export)
        }
    }

    /// Each line is a request: `get NAME?KEY=VALUE&…` or `post NAME BODY`.
    static let studio = FuzzTarget(
        "studio",
        seeds: {
            texts([
                "get store\nget rows?entity=Person&where=age > 1&sort=-name&limit=5\nget check?entity=Place&where=title ==",
                "get object?id=Person/1\nget members?id=Place/1&key=residents\nget value?id=Person/1&key=bytes",
                "get aggregate?entity=Person&values=count,avg(age)&group=flag\nget export?entity=Person&format=csv",
                "get model\nget compare?from=a&to=b\nget forecast?to=x\nget history?limit=5\nget pending\nget events",
                "post edit/set {\"id\":\"Person/1\",\"key\":\"name\",\"value\":\"x\"}\npost edit/undo {}\npost edit/redo {}\n"
                    + "post edit/save {}",
                "post edit/link {\"id\":\"Person/1\",\"key\":\"home\",\"to\":\"Place/1\"}\npost edit/discard {}",
                "post edit/make {\"entity\":\"Place\"}\npost edit/delete {\"ids\":[\"Person/1\"]}\npost edit/save {}\n"
                    + "post edit/resolve {\"policy\":\"mine\"}",
            ])
        },
        growth: {
            [
                "where": Data("get rows?entity=Person&where=\(String(repeating: "(", count: 20_000))".utf8),
                "path": Data("get rows?entity=Person&where=a\(String(repeating: ".b", count: 20_000))==1".utf8),
                "marks-of-a-letter": Data("get object?id=a\(FuzzGrowth.marks)".utf8),
                "body": Data("post edit/set \(String(repeating: "{\"id\":[", count: 20_000))".utf8),
                "ids": Data(
                    "post edit/delete {\"ids\":[\(String(repeating: "\"Person/1\",", count: 20_000))\"x\"]}".utf8),
            ]
        },
        words: FuzzWords.predicates + FuzzWords.json + [
            "get ", "post ", "rows?", "entity=", "&where=", "&sort=", "&columns=", "&values=", "&group=", "&offset=",
            "&limit=",
            "&subentities=0", "?id=", "&key=", "Person", "Place", "Child", "Being", "/1", "visits", "wards", "picture",
            "object",
            "edit/set ", "edit/link ", "edit/make ", "edit/delete ", "edit/undo ", "\"add\":", "\"remove\":",
            "\"to\":null",
        ],
        run: { bytes in
            try FuzzFolder.withFile(FuzzBase.sqlite, named: "Fuzz.sqlite") { file in
                let studio = try Studio(file.path, model: nil, isWritable: true)
                for line in String(decoding: bytes, as: UTF8.self).unicodeScalars.split(separator: "\n").prefix(8) {
                    try read(studio.answer(request(line)))
                }
            }
        })

    /// A line is taken apart by scalars: a letter with 100,000 marks takes seconds to compare.
    private static func request(_ line: Substring.UnicodeScalarView) -> HTTPRequest {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return HTTPRequest(method: .get, path: "/\(String(line))") }
        if words[0].elementsEqual("post".unicodeScalars) {
            let parts = words[1].split(separator: " ", maxSplits: 1)
            return HTTPRequest(
                method: .post, path: "/api/\(parts.first.map(String.init) ?? "")",
                body: Data(parts.dropFirst().first.map { String($0).utf8 } ?? "".utf8))
        }
        let parts = words[1].split(separator: "?", maxSplits: 1)
        var query: [String: String] = [:]
        for part in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // The names are few, and hashed.
            query[String(sides[0].prefix(20))] = sides.dropFirst().first.map(String.init) ?? ""
        }
        // A diagram starts a program, and events come without end.
        let name = String(parts.first?.prefix(100) ?? "".unicodeScalars[...])
        if ["diagram", "events"].contains(name) { return HTTPRequest(method: .get, path: "/api/store") }
        return HTTPRequest(method: .get, path: "/api/\(name)", query: query)
    }

    /// Takes all parts of an answer, as a connection does.
    private static func read(_ answer: HTTPResponse) throws {
        guard case .parts(let next) = answer.body else { return }
        while next() != nil {}
    }
}
