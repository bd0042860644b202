import CoreData
import Foundation

/// The report at the end of a command that moves objects from one place to another.
struct ExchangeSummary {
    /// The beginning of the sentence, and the word before the place: "imported", "into".
    let verb: String
    let preposition: String
    let place: String
    let counts: [(entity: String, count: Int)]
    /// Further facts, for JSON.
    var facts: [(String, JSON)] = []
    /// The facts in the text report.
    var remarks: [String] = []

    var objects: Int { counts.reduce(0) { $0 + $1.count } }

    /// Reports links to missing objects, which were left out.
    mutating func note(dangling: [String], _ console: Console) {
        facts.append(("danglingLinks", .integer(Int64(dangling.count))))
        guard !dangling.isEmpty else { return }
        let some = dangling.prefix(5).joined(separator: "; ") + (dangling.count > 5 ? "; …" : "")
        console.say(
            "coredata: \(dangling.count) link\(dangling.count == 1 ? "" : "s") to objects that are not there "
                + "\(dangling.count == 1 ? "was" : "were") left out: \(Table.onOneLine(some))")
    }

    /// Reports that the source has CloudKit's tables about the objects, and the new store has not.
    mutating func note(mirror: StoreInspection.CloudMirror?, _ console: Console) {
        guard let mirror else { return }
        facts.append(("mirror", MirrorText(mirror).json))
        console.say(
            Table.onOneLine(
                "coredata: CloudKit mirrors the store that the objects are of (\(mirror)), and has no records "
                    + "of \(place): on a device its objects would be uploaded once more, and pending deletions lost"))
    }

    func write(isJSON: Bool, on console: Console) throws {
        if isJSON {
            try console.write(
                .object(
                    [
                        ("store", .string(place)), ("objects", .integer(Int64(objects))),
                        ("entities", .object(counts.map { ($0.entity, .integer(Int64($0.count))) })),
                    ] + facts))
            return
        }
        let number = "\(objects) object\(objects == 1 ? "" : "s")"
        let kinds = "\(counts.count) \(counts.count == 1 ? "entity" : "entities")"
        let line = "\(verb) \(number) of \(kinds) \(preposition) \(place)" + remarks.map { "; \($0)" }.joined()
        try console.line(Table.onOneLine(line))
    }
}
