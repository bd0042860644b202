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
}

/// Follows the tags of a text. It decides nothing about the text's form, which the XML parser has checked.
private struct XMLSourceScanner {
    let text: [UInt8]
    private(set) var elements: [XMLSourceElement] = []
    private var place = 0
    private var open: [Int] = []

    init(text: [UInt8]) { self.text = text }

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
        return open.isEmpty && !elements.isEmpty
    }

    private func starts(_ word: StaticString) -> Bool {
        let end = place + word.utf8CodeUnitCount
        return end <= text.count
            && text[place..<end].elementsEqual(
                UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func skip(to word: StaticString) -> Bool {
        while place < text.count {
            if starts(word) {
                place += word.utf8CodeUnitCount
                return true
            }
            place += 1
        }
        return false
    }

    private mutating func readEndTag() -> Bool {
        let start = place
        guard skip(to: ">"), let element = open.popLast() else { return false }
        elements[element].endTag = start..<place
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    /// Whether a byte ends a name: `=`, `/` and `>` do.
    private static func endsName(_ byte: UInt8) -> Bool { byte == 0x3D || byte == 0x2F || byte == 0x3E }

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
        var attributes: [XMLSourceElement.Attribute] = []
        while true {
            skipSpace()
            guard place < text.count else { return false }
            let isEmpty = starts("/>")
            if isEmpty || text[place] == UInt8(ascii: ">") {
                place += isEmpty ? 2 : 1
                elements.append(
                    XMLSourceElement(
                        name: name, startTag: start..<place, attributes: attributes, parent: open.last))
                if !isEmpty { open.append(elements.count - 1) }
                return true
            }
            guard let attribute = attribute() else { return false }
            attributes.append(attribute)
        }
    }

    private mutating func attribute() -> XMLSourceElement.Attribute? {
        let start = place
        let name = word()
        skipSpace()
        guard !name.isEmpty, starts("=") else { return nil }
        place += 1
        skipSpace()
        guard place < text.count, "\"'".utf8.contains(text[place]),
            let end = text[(place + 1)...].firstIndex(of: text[place])
        else { return nil }
        let value = place + 1..<end
        place = end + 1
        return XMLSourceElement.Attribute(name: name, value: value, whole: start..<place)
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
