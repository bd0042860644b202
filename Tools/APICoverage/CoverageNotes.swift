/// Notes to the reference: a table of tab-separated lines `group, entry, verdict, detail`.
///
/// The entry is the reference's text, its beginning with `…`, or `…` alone for the whole group; the first line that
/// fits counts. An empty line or one that begins with `#` is a comment.
public struct CoverageNotes: Sendable {
    /// The verdict of a line on its entries.
    public enum Verdict: Equatable, Sendable {
        /// Will not be there, for this reason.
        case out(String)
        /// Is missing until this capability is built.
        case waits(String)
        /// Stands for these symbols, in this module's or only in a clearer spelling.
        case symbols([APISymbol])
    }

    private struct Line {
        let group: String
        let entry: String
        let verdict: Verdict
    }

    private var lines: [Line] = []

    /// A line of the table that cannot be read.
    public struct Unreadable: Error, CustomStringConvertible {
        let number: Int
        public var description: String { "line \(number): group, entry, out|waits|symbols and detail, by tabs" }
    }

    public init(_ text: String) throws {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.trimmed.isEmpty || line.hasPrefix("#") { continue }
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 4, let verdict = Self.verdict(fields[2], fields[3]) else {
                throw Unreadable(number: index + 1)
            }
            lines.append(Line(group: fields[0], entry: fields[1], verdict: verdict))
        }
    }

    private static func verdict(_ word: String, _ detail: String) -> Verdict? {
        switch word {
        case "out": .out(detail)
        case "waits": .waits(detail)
        case "symbols": .symbols(detail.split(separator: " ").map { APISymbol(String($0)) })
        default: nil
        }
    }

    /// The verdicts on an entry, apart from (`symbols`) and together with (`verdict`) what is missing.
    public func verdicts(for entry: APIEntry) -> [Verdict] {
        lines.filter { line in
            guard line.group == entry.group || line.group == "…" else { return false }
            return line.entry.hasSuffix("…") ? entry.text.hasPrefix(line.entry.dropLast()) : entry.text == line.entry
        }.map(\.verdict)
    }
}
