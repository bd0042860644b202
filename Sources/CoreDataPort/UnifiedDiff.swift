/// The difference that edits make to a text, in the format for `patch` and `git apply`.
struct UnifiedDiff {
    private static let context = 3

    private let old: [ArraySlice<UInt8>]
    /// The changes: the old lines, and the new ones.
    private var changes: [(lines: Range<Int>, new: [ArraySlice<UInt8>])] = []

    init(_ bytes: [UInt8], _ edits: [TextEdit]) {
        let lines = Self.lines(of: bytes[...])
        old = lines
        let starts = lines.map(\.startIndex)
        func line(at position: Int) -> Int { (starts.partitioningIndex { $0 > position }) - 1 }
        // Edits that share a line are one change.
        var groups: [(lines: Range<Int>, edits: [TextEdit])] = []
        for edit in TextEdit.sorted(edits) {
            let first = max(0, line(at: edit.range.lowerBound))
            // An edit that removes a whole line with its end does not change the next line.
            let last = edit.range.isEmpty ? first : max(first, line(at: edit.range.upperBound - 1))
            if let previous = groups.last, previous.lines.upperBound > first {
                groups[groups.count - 1].lines = previous.lines.lowerBound..<max(previous.lines.upperBound, last + 1)
                groups[groups.count - 1].edits.append(edit)
            } else {
                groups.append((first..<min(last + 1, max(lines.count, 1)), [edit]))
            }
        }
        for group in groups where !lines.isEmpty {
            let start = lines[group.lines.lowerBound].startIndex
            let end = lines[group.lines.upperBound - 1].endIndex
            let moved = group.edits.map { edit in
                TextEdit(
                    range: edit.range.lowerBound - start..<edit.range.upperBound - start, replacement: edit.replacement)
            }
            let text = TextEdit.apply(moved, to: Array(bytes[start..<end]))
            changes.append(withoutCommonLines(group.lines, Self.lines(of: text[...])[...]))
        }
    }

    /// A change without unchanged lines at its ends, because an insertion may be at the end of a line.
    private func withoutCommonLines(
        _ lines: Range<Int>, _ new: ArraySlice<ArraySlice<UInt8>>
    ) -> (lines: Range<Int>, new: [ArraySlice<UInt8>]) {
        var (lines, new) = (lines, new)
        while let first = new.first, !lines.isEmpty, old[lines.lowerBound] == first {
            lines = lines.dropFirst()
            new = new.dropFirst()
        }
        while let last = new.last, !lines.isEmpty, old[lines.upperBound - 1] == last {
            lines = lines.dropLast()
            new = new.dropLast()
        }
        return (lines, Array(new))
    }

    /// The lines with their ends.
    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            lines.append(bytes[start...index])
            start = index + 1
        }
        if start < bytes.endIndex { lines.append(bytes[start...]) }
        return lines
    }

    /// The text of the difference for a file of the given path; empty without changes.
    func text(path: String) -> String {
        guard !changes.isEmpty else { return "" }
        var text = "--- a/\(path)\n+++ b/\(path)\n"
        var index = 0
        var shift = 0
        while index < changes.count {
            var end = index + 1
            while end < changes.count,
                changes[end].lines.lowerBound - changes[end - 1].lines.upperBound <= 2 * Self.context
            { end += 1 }
            let hunk = hunk(changes[index..<end], shift: shift)
            text += hunk.text
            shift += hunk.growth
            index = end
        }
        return text
    }

    private func hunk(
        _ changes: ArraySlice<(lines: Range<Int>, new: [ArraySlice<UInt8>])>, shift: Int
    ) -> (text: String, growth: Int) {
        guard let first = changes.first, let last = changes.last else { return ("", 0) }
        let start = max(0, first.lines.lowerBound - Self.context)
        let end = min(old.count, last.lines.upperBound + Self.context)
        var body = ""
        var position = start
        var growth = 0
        for change in changes {
            body += old[position..<change.lines.lowerBound].map { Self.line(" ", $0) }.joined()
            body += old[change.lines].map { Self.line("-", $0) }.joined()
            body += change.new.map { Self.line("+", $0) }.joined()
            growth += change.new.count - change.lines.count
            position = change.lines.upperBound
        }
        body += old[position..<end].map { Self.line(" ", $0) }.joined()
        let count = end - start
        let newCount = count + growth
        // An empty side has the number of the line before it.
        let header =
            "@@ -\(count == 0 ? start : start + 1),\(count) +\(newCount == 0 ? start + shift : start + shift + 1),\(newCount) @@\n"
        return (header + body, growth)
    }

    private static func line(_ mark: String, _ bytes: ArraySlice<UInt8>) -> String {
        let text = mark + String(decoding: bytes, as: UTF8.self)
        return bytes.last == UInt8(ascii: "\n") ? text : text + "\n\\ No newline at end of file\n"
    }
}

extension Array {
    /// The first index whose element fulfils a condition that all later ones fulfil too.
    fileprivate func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
