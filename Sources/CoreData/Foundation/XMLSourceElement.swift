import Foundation

/// The places of an element in the bytes of an XML file: where it begins, where its values stand, where it ends.
package struct XMLSourceElement {
    /// One attribute of a start tag.
    package struct Attribute {
        package let name: String
        /// The bytes between the quotes.
        package let value: Range<Int>
        /// The bytes from the name to the closing quote.
        package let whole: Range<Int>
    }

    package let name: String
    /// The bytes from `<` to `>`.
    package let startTag: Range<Int>
    package fileprivate(set) var attributes: [Attribute] = []
    /// The bytes from `</` to `>`; nil if the start tag ends in `/>`.
    package fileprivate(set) var endTag: Range<Int>?
    /// The place of the parent in the list; nil for the root.
    package let parent: Int?

    /// All bytes of the element.
    package var range: Range<Int> { startTag.lowerBound..<(endTag ?? startTag).upperBound }

    /// The elements of a text in the order of their start tags; nil if a tag cannot be followed.
    ///
    /// The text must be well-formed, in an encoding that has ASCII's letters as ASCII has them.
    package static func all(in text: [UInt8]) -> [XMLSourceElement]? {
        var scanner = XMLSourceScanner(text: text)
        return scanner.scan() ? scanner.elements : nil
    }

    /// The first tag of a text that cannot be followed; nil if all can be.
    static func mistake(in text: [UInt8]) -> XMLSourceMistake? {
        var scanner = XMLSourceScanner(text: text)
        return scanner.scan() ? nil : scanner.mistake
    }
}

/// A mistake in the tags of a text.
struct XMLSourceMistake {
    /// The place of the tag that has it.
    let place: Int
    /// The place at which it shows, which is later where a tag or an element has no end.
    let end: Int
    /// The mistake, and what to write.
    let reason: String
}

/// Follows the tags of a text. Of the text's form it decides no more than that, because the XML parser checks it.
private struct XMLSourceScanner {
    let text: [UInt8]
    private(set) var elements: [XMLSourceElement] = []
    private(set) var mistake: XMLSourceMistake?
    private var place = 0
    private var open: [Int] = []

    init(text: [UInt8]) { self.text = text }

    /// Records the first mistake.
    private mutating func fail(at start: Int, _ reason: String) -> Bool {
        if mistake == nil { mistake = XMLSourceMistake(place: start, end: min(place, text.count - 1), reason: reason) }
        return false
    }

    private func line(of place: Int) -> Int { text[..<place].count { $0 == UInt8(ascii: "\n") } + 1 }

    /// A start tag in messages, with the value of `name`.
    private func summary(_ name: String, _ attributes: [XMLSourceElement.Attribute]) -> String {
        attributes.first { $0.name == "name" }.map { attribute in
            "<\(name) name=\"\(String(decoding: text[attribute.value].prefix(80), as: UTF8.self))\">"
        } ?? "<\(name)>"
    }

    private func summary(_ element: Int) -> String { summary(elements[element].name, elements[element].attributes) }

    /// Whether every tag was followed.
    mutating func scan() -> Bool {
        while let next = text[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = next
            let isRead =
                if starts("<!--") {
                    skip(to: "-->")
                } else if starts("<![CDATA[") {
                    skip(to: "]]>")
                } else if starts("<?") {
                    skip(to: "?>")
                } else if starts("<!") {
                    skip(to: ">")
                } else if starts("</") {
                    readEndTag()
                } else {
                    readStartTag()
                }
            if !isRead { return false }
        }
        place = text.count
        if let last = open.last {
            return fail(
                at: elements[last].startTag.lowerBound,
                "\(summary(last)) is not closed: write </\(elements[last].name)> after it")
        }
        return !elements.isEmpty
    }

    private func starts(_ word: StaticString) -> Bool {
        let end = place + word.utf8CodeUnitCount
        return end <= text.count
            && text[place..<end].elementsEqual(
                UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func skip(to word: StaticString) -> Bool {
        let start = place
        while place < text.count {
            if starts(word) {
                place += word.utf8CodeUnitCount
                return true
            }
            place += 1
        }
        return fail(at: start, "what begins here has no '\(word)' at its end")
    }

    private mutating func readEndTag() -> Bool {
        let start = place
        place += 2
        let name = word()
        skipSpace()
        guard place < text.count, text[place] == UInt8(ascii: ">") else {
            return fail(at: start, "the tag </\(name)> has no '>' at its end")
        }
        place += 1
        guard let element = open.last else { return fail(at: start, "</\(name)> closes no element") }
        guard elements[element].name == name else { return fail(at: start, closing: name, insteadOf: element) }
        open.removeLast()
        elements[element].endTag = start..<place
        return true
    }

    /// An end tag that does not belong to the innermost element: that one has no end tag, or this one is too many.
    private mutating func fail(at start: Int, closing name: String, insteadOf element: Int) -> Bool {
        let first = elements[element].startTag.lowerBound
        guard open.contains(where: { elements[$0].name == name }) else {
            return fail(
                at: start, "</\(name)> closes no element; \(summary(element)) of line \(line(of: first)) is open")
        }
        return fail(
            at: first,
            "\(summary(element)) is not closed: write '/>' at the end of its tag, or </\(elements[element].name)> "
                + "before the </\(name)> of line \(line(of: start))")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    /// Whether a byte ends a name: `=`, `/`, `<` and `>` do.
    private static func endsName(_ byte: UInt8) -> Bool {
        byte == 0x3D || byte == 0x2F || byte == 0x3C || byte == 0x3E
    }

    private mutating func skipSpace() { while place < text.count, Self.isSpace(text[place]) { place += 1 } }

    private mutating func word() -> String {
        let start = place
        while place < text.count, !Self.isSpace(text[place]), !Self.endsName(text[place]) { place += 1 }
        return String(decoding: text[start..<place], as: UTF8.self)
    }

    private mutating func readStartTag() -> Bool {
        let start = place
        place += 1
        let name = word()
        if name.isEmpty { return fail(at: start, "a '<' begins no tag; within a text write &lt;") }
        var attributes: [XMLSourceElement.Attribute] = []
        while true {
            let end = place
            skipSpace()
            let isEmpty = starts("/>")
            guard place < text.count, isEmpty || !"</".utf8.contains(text[place]) else {
                return fail(
                    at: start, "the tag \(summary(name, attributes)) is not closed: write '/>' or '>' at its end")
            }
            if isEmpty || text[place] == UInt8(ascii: ">") {
                place += isEmpty ? 2 : 1
                elements.append(
                    XMLSourceElement(
                        name: name, startTag: start..<place, attributes: attributes, parent: open.last))
                if !isEmpty { open.append(elements.count - 1) }
                return true
            }
            if let last = attributes.last, place == end {
                return fail(
                    at: start, "\(summary(name, attributes)): a quote, or a space, is missing at '\(last.name)'")
            }
            switch attribute() {
            case .success(let attribute): attributes.append(attribute)
            case .failure(let problem): return fail(at: start, "\(summary(name, attributes)): \(problem.reason)")
            }
        }
    }

    private struct Problem: Error {
        let reason: String
    }

    private mutating func attribute() -> Result<XMLSourceElement.Attribute, Problem> {
        let start = place
        let name = word()
        skipSpace()
        if name.isEmpty { return .failure(Problem(reason: "a '=' has no name before it")) }
        guard starts("=") else { return .failure(Problem(reason: "'\(name)' has no value")) }
        place += 1
        skipSpace()
        guard place < text.count, "\"'".utf8.contains(text[place]) else {
            return .failure(Problem(reason: "the value of '\(name)' has no quotes"))
        }
        let (quote, first) = (text[place], place + 1)
        place = text[first...].firstIndex { $0 == quote || $0 == UInt8(ascii: "<") } ?? text.count
        guard place < text.count, text[place] == quote else {
            return .failure(
                Problem(reason: "the value of '\(name)' has no quote at its end, or a '<' that must be &lt;"))
        }
        place += 1
        return .success(XMLSourceElement.Attribute(name: name, value: first..<place - 1, whole: start..<place))
    }
}

extension XMLTreeElement {
    /// Gives the elements of a tree the lines and columns of their start tags. (The parser reports the end of a tag.)
    package func locate(in data: Data) {
        let text = [UInt8](data)
        guard let sources = XMLSourceElement.all(in: text) else { return }
        let elements = inOrder
        guard sources.count == elements.count, zip(sources, elements).allSatisfy({ $0.name == $1.name }) else { return }
        var (line, lineStart, place) = (1, 0, 0)
        for (source, element) in zip(sources, elements) {
            while place < source.startTag.lowerBound {
                if text[place] == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, place + 1) }
                place += 1
            }
            (element.line, element.column) = (line, place - lineStart + 1)
        }
    }

    /// The element and all below it, in the order of their start tags.
    package var inOrder: [XMLTreeElement] { [self] + children.flatMap(\.inOrder) }
}
