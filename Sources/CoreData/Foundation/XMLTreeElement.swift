import Foundation
import FoundationXML

/// An element of an XML file with its attributes, children and text. Every reader of XML in the framework begins with
/// it.
package final class XMLTreeElement {
    /// The element's name, such as `entity`.
    package let name: String
    /// The attributes as written.
    package internal(set) var attributes: [String: String]
    /// The line of the start tag, from 1.
    package internal(set) var line: Int
    /// The column of the start tag in bytes, from 1; 0 for an element that was made without a text.
    package internal(set) var column = 0
    /// The child elements in order.
    package internal(set) var children: [XMLTreeElement] = []
    /// The text between the element's tags, without that of its children.
    package fileprivate(set) var text = ""

    /// An element without children and text.
    init(name: String, attributes: [String: String] = [:], line: Int = 1) {
        self.name = name
        self.attributes = attributes
        self.line = line
    }

    /// The first child of a name.
    package func child(_ name: String) -> XMLTreeElement? { children.first { $0.name == name } }

    /// The children of one name.
    package func children(named name: String) -> [XMLTreeElement] { children.filter { $0.name == name } }

    /// Puts other elements into the places of children, where a function gives one.
    package func replaceChildren(_ replacement: (XMLTreeElement) -> XMLTreeElement?) {
        children = children.map { replacement($0) ?? $0 }
    }

    /// The reason why a file cannot be read as XML.
    package struct Failure: Error {
        /// The line, from 1.
        package let line: Int
        /// The column in bytes, from 1; 1 where it is not known.
        package fileprivate(set) var column = 1
        /// The problem, as a part of a sentence.
        package let reason: String
    }

    /// Parses a file; nothing outside of it is read.
    ///
    /// Throws a `Failure` if the file is not well-formed, or nested too deeply.
    package static func parse(_ data: Data) throws(Failure) -> XMLTreeElement {
        let builder = TreeBuilder()
        // The parser gets the text in pieces, because it rejects more than ten million bytes at once.
        let text = try XMLText.forParser(data)
        let parser = XMLParser(stream: InputStream(data: text))
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        let succeeded = parser.parse()
        if let failure = builder.failure { throw failure }
        guard succeeded, parser.parserError == nil, builder.isComplete, let root = builder.root else {
            throw builder.failure(in: [UInt8](text), line: max(builder.errorLine ?? parser.lineNumber, 1))
        }
        return root
    }
}

/// Collects the events of the parser into a tree.
private final class TreeBuilder: NSObject, XMLParserDelegate {
    /// The greatest depth. Models nest six elements, and metadata may nest more; deeper files are neither.
    private static let maximumDepth = 128

    var root: XMLTreeElement?
    var failure: XMLTreeElement.Failure?
    var errorLine: Int?
    /// What the parser objects to, in words.
    var detail: String?
    private var open: [XMLTreeElement] = []

    /// Whether every element was closed. (The parser continues after some errors and still returns success.)
    var isComplete: Bool { open.isEmpty && errorLine == nil }

    /// The failure of a text that is not well-formed.
    ///
    /// The parser objects to what follows a tag that is not closed. A mistake in the tags up to there is the cause.
    func failure(in text: [UInt8], line: Int) -> XMLTreeElement.Failure {
        let reason = "not well-formed XML"
        let newline = UInt8(ascii: "\n")
        guard let mistake = XMLSourceElement.mistake(in: text), !text.isEmpty,
            text[..<mistake.end].count(where: { $0 == newline }) < line
        else { return .init(line: line, reason: reason + (detail.map { ": \($0)" } ?? "")) }
        let before = text[..<mistake.place]
        var failure = XMLTreeElement.Failure(
            line: before.count { $0 == newline } + 1, reason: "\(reason): \(mistake.reason)")
        // The parser's text has a first line of its own.
        failure.column = before.lastIndex(of: newline).map { mistake.place - $0 } ?? 1
        return failure
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        let element = XMLTreeElement(name: elementName, attributes: attributeDict, line: parser.lineNumber)
        element.column = 1
        open.last?.children.append(element)
        if root == nil { root = element }
        open.append(element)
        if open.count > Self.maximumDepth {
            fail(parser, "elements are nested more than \(Self.maximumDepth) deep")
        }
        // Character references may stand for combining marks, which the check of the text does not find.
        if attributeDict.values.contains(where: CombiningMarks.areEndless) {
            fail(parser, "a letter has too many marks")
        }
    }

    private func fail(_ parser: XMLParser, _ reason: String) {
        guard failure == nil else { return }
        failure = .init(line: parser.lineNumber, reason: reason)
        parser.abortParsing()
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { open.last?.text += string }

    func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
        open.last?.text += String(decoding: CDATABlock, as: UTF8.self)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        guard let element = open.popLast() else { return }
        if CombiningMarks.areEndless(in: element.text) { fail(parser, "a letter has too many marks") }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        guard errorLine == nil else { return }
        errorLine = parser.lineNumber
        detail = detail(of: (parseError as NSError).code)
    }

    /// The meaning of an error's code, which is the one of libxml2 and not of `XMLParser.ErrorCode`.
    private func detail(of code: Int) -> String? {
        switch code {
        case 23, 26, 68: "write &amp; for '&'"
        case 5: root == nil ? "there is no element" : "a text, or a second element, follows the end of the root"
        case 42: "an attribute stands twice in a tag"
        case 45, 80: "a comment has '--' in its text"
        default: nil
        }
    }
}
