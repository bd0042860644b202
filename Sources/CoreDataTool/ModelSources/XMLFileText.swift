import CoreData
import Foundation

/// The text of an XML file with the places of its elements. A change replaces the bytes that it means, and all other
/// bytes stay as they are.
struct XMLFileText {
    struct Element {
        let name: String
        let values: [String: String]
        let source: XMLSourceElement
        /// The places of the children in the list of elements.
        fileprivate(set) var children: [Int] = []
    }

    /// The replacement of some bytes.
    struct Change {
        let range: Range<Int>
        let text: String
    }

    /// The name in errors.
    let file: String
    private(set) var bytes: [UInt8]
    /// The elements in the order of their start tags; the first is the root.
    private(set) var elements: [Element] = []

    /// - Throws: `ToolError` if the file is no XML, or not in UTF-8.
    init(_ bytes: [UInt8], file: String) throws {
        self.file = file
        self.bytes = bytes
        try read()
    }

    private mutating func read() throws {
        let root: XMLTreeElement
        do {
            root = try XMLTreeElement.parse(Data(bytes))
        } catch {
            throw ToolError(.unreadable, "\(file), line \(error.line): \(error.reason)")
        }
        let trees = root.inOrder
        guard let sources = XMLSourceElement.all(in: bytes), sources.count == trees.count,
            String(validating: bytes, as: UTF8.self) != nil
        else {
            throw ToolError(
                .failed, "\(file): the text is not in UTF-8, and is not edited",
                details: ["Save it in UTF-8 first."])
        }
        elements = zip(trees, sources).map { Element(name: $0.name, values: $0.attributes, source: $1) }
        for (place, source) in sources.enumerated() {
            if let parent = source.parent { elements[parent].children.append(place) }
        }
    }

    /// Makes all changes at once, and reads the text again.
    mutating func apply(_ changes: [Change]) throws {
        // Of insertions at one place the first stays first.
        let ordered = changes.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) > ($1.element.range.lowerBound, $1.offset)
        }
        for (_, change) in ordered { bytes.replaceSubrange(change.range, with: change.text.utf8) }
        try read()
    }

    // MARK: Looking

    /// The children of an element that have a name.
    func children(of place: Int, named name: String) -> [Int] {
        elements[place].children.filter { elements[$0].name == name }
    }

    /// The child of an element with a value of an attribute.
    func child(of place: Int, named names: String..., where attribute: String, is value: String) -> Int? {
        elements[place].children.first {
            names.contains(elements[$0].name) && elements[$0].values[attribute] == value
        }
    }

    /// All places of elements of a name.
    func places(of name: String) -> [Int] { elements.indices.filter { elements[$0].name == name } }

    // MARK: Layout

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    var newline: String { bytes.contains(0x0D) ? "\r\n" : "\n" }

    /// The white space before an element on its line; nil if other text stands there.
    private func indent(of place: Int) -> String? {
        let end = elements[place].source.startTag.lowerBound
        var start = end
        while start > 0, Self.isSpace(bytes[start - 1]) { start -= 1 }
        guard start == 0 || bytes[start - 1] == 0x0A else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The white space by which children stand further right than their parent.
    private var unit: String {
        let root = indent(of: 0) ?? ""
        let first = elements.first?.children.first.flatMap { indent(of: $0) } ?? ""
        return first.count > root.count && first.hasPrefix(root) ? String(first.dropFirst(root.count)) : "    "
    }

    // MARK: Changes

    /// Changes, adds, or with nil removes an attribute; nil if nothing changes.
    func setting(_ attribute: String, of place: Int, to value: String?) -> Change? {
        let element = elements[place]
        if element.values[attribute] == value { return nil }
        if let present = element.source.attributes.first(where: { $0.name == attribute }) {
            if let value { return Change(range: present.value, text: ModelSourceElement.escaped(value)) }
            var start = present.whole.lowerBound
            while start > 0, Self.isSpace(bytes[start - 1]) || [0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
            return Change(range: start..<present.whole.upperBound, text: "")
        }
        guard let value else { return nil }
        let text = "\(attribute)=\"\(ModelSourceElement.escaped(value))\""
        let next = element.source.attributes.first {
            ModelSourceOrder.isBefore(attribute, $0.name, in: element.name)
        }
        if let next { return Change(range: next.whole.lowerBound..<next.whole.lowerBound, text: text + " ") }
        let end = element.source.attributes.last?.whole.upperBound
        let place = end ?? element.source.startTag.lowerBound + 1 + element.name.utf8.count
        return Change(range: place..<place, text: " " + text)
    }

    /// Inserts an element among the children of another one, where Xcode would write it.
    func inserting(_ new: ModelSourceElement, in parent: Int) -> Change {
        let owner = elements[parent]
        let children = owner.children
        let rank = ModelSourceOrder.rank(of: new.name, in: owner.name)
        func rankOf(_ child: Int) -> Int { ModelSourceOrder.rank(of: elements[child].name, in: owner.name) }
        let unit = unit
        let outer = indent(of: parent) ?? ""
        let inner = children.first.flatMap { indent(of: $0) } ?? outer + unit
        let text = new.text(indent: inner, unit: unit, newline: newline)
        let next = children.first { child in
            rankOf(child) > rank
                || rankOf(child) == rank
                    && ModelSourceOrder.areSorted(new["name"] ?? "", elements[child].values["name"] ?? "")
        }
        if let next {
            let start = elements[next].source.startTag.lowerBound
            return Change(range: start..<start, text: text + newline + inner)
        }
        if let last = children.last {
            let end = elements[last].source.range.upperBound
            return Change(range: end..<end, text: newline + inner + text)
        }
        let start = owner.source.startTag
        if let end = owner.source.endTag {
            let between = bytes[start.upperBound..<end.lowerBound]
            let ending = between.contains(0x0A) ? "" : newline + outer
            return Change(range: start.upperBound..<start.upperBound, text: newline + inner + text + ending)
        }
        var close = start.upperBound - 2
        while Self.isSpace(bytes[close - 1]) { close -= 1 }
        return Change(
            range: close..<start.upperBound,
            text: ">" + newline + inner + text + newline + outer + "</\(owner.name)>")
    }

    /// Removes an element, with its lines if nothing else stands on them.
    func removing(_ place: Int) -> Change {
        var range = elements[place].source.range
        if indent(of: place) != nil {
            var end = range.upperBound
            while end < bytes.count, Self.isSpace(bytes[end]) || bytes[end] == 0x0D { end += 1 }
            if end < bytes.count, bytes[end] == 0x0A {
                var start = range.lowerBound
                while start > 0, Self.isSpace(bytes[start - 1]) { start -= 1 }
                range = start..<end + 1
            }
        }
        return Change(range: range, text: "")
    }
}
