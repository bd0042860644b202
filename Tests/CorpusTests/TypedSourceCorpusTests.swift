import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Real sources, with their values changed as people and generators write them: the model still loads, with everything
/// else as it was.
@Suite("Real sources with odd values", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct TypedSourceCorpusTests {
    /// One attribute of an element, and what stands there instead. The attribute is added where the element lacks it.
    struct Change: CustomTestStringConvertible {
        var element = "attribute"
        let attribute: String
        let values: [String]

        var testDescription: String { "\(element) \(attribute)" }
    }

    private static let numbers = [
        "", " ", "0", "0.0", "1.0", "-1", "1,5", "1.000,5", "1e3", "40000", "99999999999999999999", "nan", "inf", "NO",
        "YES",
        "yes", "true", "2 pieces", "x", "0x10", "٣", "2013-04-23 12:00:00 +0000", "12/4/2013", "today",
    ]
    private static let flags = ["", "YES", "NO", "yes", "no", "true", "false", "1", "0", "maybe"]

    static let changes = [
        Change(attribute: "defaultValueString", values: numbers), Change(attribute: "minValueString", values: numbers),
        Change(attribute: "maxValueString", values: numbers),
        Change(attribute: "defaultDateTimeInterval", values: numbers),
        Change(attribute: "minDateTimeInterval", values: numbers),
        Change(attribute: "maxDateTimeInterval", values: numbers),
        Change(attribute: "regularExpressionString", values: ["", "[", "(a", "\\", "[a-z]+", "*", "a{2,1}"]),
        Change(attribute: "usesScalarValueType", values: flags), Change(attribute: "syncable", values: flags),
        Change(attribute: "indexed", values: flags), Change(attribute: "spotlightIndexingEnabled", values: flags),
        Change(attribute: "allowsExternalBinaryDataStorage", values: flags),
        Change(attribute: "preserveAfterDeletion", values: flags),
        Change(attribute: "valueTransformerName", values: ["", "Unknown", "NSSecureUnarchiveFromData", "A B"]),
        Change(attribute: "customClassName", values: ["", "Unknown", "[String: Any]", "A.B"]),
        Change(attribute: "neverHeardOf", values: ["", "x"]),
        Change(element: "relationship", attribute: "minCount", values: numbers),
        Change(element: "relationship", attribute: "neverHeardOf", values: ["x"]),
        Change(element: "entity", attribute: "codeGenerationType", values: ["", "unknown", "class"]),
        Change(element: "entity", attribute: "representedClassName", values: ["", ".", "A.B.C", "with space"]),
        Change(element: "model", attribute: "userDefinedModelVersionIdentifier", values: ["", "a b", "1.0"]),
        Change(element: "model", attribute: "sourceLanguage", values: ["", "Rust"]),
    ]

    /// Sources that together have every attribute and type that any source has, the smallest first; in a long run all.
    private static let sources: [(path: String, text: String)] = {
        var seen: Set<String> = []
        var result: [(path: String, text: String)] = []
        let all = Corpus.paths { $0.hasSuffix(".xcdatamodel/contents") }.compactMap { path in
            (try? String(contentsOf: Corpus.url(path), encoding: .utf8)).map { (path: path, text: $0) }
        }
        .sorted { ($0.text.utf8.count, $0.path) < ($1.text.utf8.count, $1.path) }
        for (path, text) in all {
            if Sample.isWhole {
                result.append((path, text))
            } else if text.utf8.count < 30_000 {
                let types = text.split(separator: "attributeType=\"").dropFirst().map {
                    String($0.prefix { $0 != "\"" })
                }
                let names = text.split(whereSeparator: { " \n\t<>/".contains($0) }).filter { $0.contains("=") }
                    .map { String($0.prefix { $0 != "=" }) }
                let words = Set(types + names)
                if words.isSubset(of: seen) { continue }
                seen.formUnion(words)
                result.append((path, text))
            }
        }
        return result
    }()

    /// The source with the values of a change in the elements of its name, one after the other.
    private static func source(_ text: String, _ change: Change, from first: Int) -> String {
        var pieces = text.components(separatedBy: "<\(change.element) ")
        for place in pieces.indices.dropFirst() {
            var tag = String(pieces[place].prefix { $0 != ">" })
            let rest = pieces[place].dropFirst(tag.count)
            if let start = (" " + tag).range(of: " \(change.attribute)=\"") {
                let padded = " " + tag
                let value = padded[start.upperBound...]
                tag = String(padded[..<start.lowerBound] + value.drop { $0 != "\"" }.dropFirst())
            }
            let value = XMLRecordFormat.escaped(change.values[(first + place) % change.values.count])
            pieces[place] = "\(change.attribute)=\"\(value)\" \(tag)\(rest)"
        }
        return pieces.joined(separator: "<\(change.element) ")
    }

    @Test("A model loads with any text in the place of a value, with the hashes it had", arguments: changes)
    func values(_ change: Change) throws {
        #expect(Self.sources.count >= 8)
        for (number, source) in Sample.slice(Array(Self.sources.enumerated()), oneIn: 2, "\(change)") {
            let before = try ModelWarning.taken(by: { _ in }) {
                try ModelSourceReader.model(from: Data(source.text.utf8), file: source.path)
            }
            let text = Self.source(source.text, change, from: number)
            do {
                let after = try ModelWarning.taken(by: { _ in }) {
                    try ModelSourceReader.model(from: Data(text.utf8), file: source.path)
                }
                #expect(after.entities.map(\.name) == before.entities.map(\.name))
                // These are part of the hashes, and have other values now.
                let others = ["minCount", "allowsExternalBinaryDataStorage", "preserveAfterDeletion"]
                if !others.contains(change.attribute) {
                    let same = after.entityVersionHashesByName == before.entityVersionHashesByName
                    #expect(same, "\(source.path)")
                }
                // The model as read can be archived and read again.
                let copy = try ModelArchive.decode(ModelArchive.encode(after))
                #expect(copy.isEqual(after), "\(source.path)")
            } catch {
                Issue.record("\(source.path): \(error)")
            }
        }
    }

    @Test("The order of elements, and unknown elements, mean nothing")
    func order() throws {
        for source in Self.sources {
            let root = try XMLTreeElement.model(in: Data(source.text.utf8), file: source.path)
            let before = try ModelSourceReader(root: root, file: source.path).makeModel()
            func escaped(_ text: String) -> String {
                XMLRecordFormat.escaped(text).replacing("\n", with: "&#10;").replacing("\t", with: "&#9;")
            }
            func backwards(_ element: XMLTreeElement) -> String {
                let attributes = element.attributes.map { " \($0.key)=\"\(escaped($0.value))\"" }.joined()
                // Lists whose order counts stay.
                let keepsOrder = ["uniquenessConstraint", "compoundIndex", "fetchIndex"].contains(element.name)
                let children = (keepsOrder ? element.children : element.children.reversed()).map(backwards)
                return "<\(element.name)\(attributes)>\(children.joined())<new/></\(element.name)>"
            }
            let after = try ModelSourceReader.model(from: Data(backwards(root).utf8), file: source.path)
            #expect(after.entityVersionHashesByName == before.entityVersionHashesByName, "\(source.path)")
        }
    }
}
