import Foundation
import FoundationXML

/// One element of a model's XML source, with its line for error messages.
///
/// The whole source is kept as a tree, also what the model itself has no place for (`usesScalarValueType`,
/// `codeGenerationType` …): the code generator reads it from here.
package final class ModelSourceElement {
    /// The element's name, such as `entity`.
    package let name: String
    /// The attributes as written.
    package let attributes: [String: String]
    /// The line of the element's start tag, from 1.
    package let line: Int
    /// The child elements in order; text between them carries no meaning in a model.
    package fileprivate(set) var children: [ModelSourceElement] = []

    init(name: String, attributes: [String: String], line: Int) {
        self.name = name
        self.attributes = attributes
        self.line = line
    }

    /// The children of one name.
    package func children(named name: String) -> [ModelSourceElement] { children.filter { $0.name == name } }

    /// An attribute's text; `nil` when absent or empty.
    package func text(_ attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An attribute as a truth value: "YES" is true, everything else and absence are false.
    package func flag(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    /// The element as error messages show it.
    var summary: String {
        attributes["name"].map { "<\(name) name=\"\($0)\">" } ?? "<\(name)>"
    }

    /// Parses an XML model; `file` is named in errors. The root must be `model`.
    package static func parse(_ data: Data, file: String) throws -> ModelSourceElement {
        let builder = TreeBuilder()
        let parser = XMLParser(data: data)
        parser.delegate = builder
        let succeeded = parser.parse()
        if let reason = builder.reason {
            throw modelError("line \(builder.lastLine): \(reason)", file: file)
        }
        guard succeeded, parser.parserError == nil, builder.isComplete, let root = builder.root else {
            let reason = parser.parserError.map { ($0 as NSError).localizedDescription } ?? "no element"
            throw modelError("line \(max(parser.lineNumber, 1)): not well-formed XML (\(reason)).", file: file)
        }
        guard root.name == "model" else {
            throw modelError(
                "line \(root.line): the root element is <\(root.name)>, a model has <model>.", file: file)
        }
        return root
    }
}

/// Collects the events of the parser into a tree.
private final class TreeBuilder: NSObject, XMLParserDelegate {
    /// Real models nest six elements; more than this is not a model.
    private static let maximumDepth = 64

    var root: ModelSourceElement?
    var reason: String?
    var lastLine = 1
    private var open: [ModelSourceElement] = []
    private var sawError = false

    /// Whether every element was closed. (The parser goes on after some errors and still calls that success.)
    var isComplete: Bool { open.isEmpty && !sawError }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        lastLine = parser.lineNumber
        let element = ModelSourceElement(name: elementName, attributes: attributeDict, line: parser.lineNumber)
        if let parent = open.last {
            parent.children.append(element)
        } else if root == nil {
            root = element
        }
        open.append(element)
        if open.count > Self.maximumDepth {
            reason = "elements are nested more than \(Self.maximumDepth) deep."
            parser.abortParsing()
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        _ = open.popLast()
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        sawError = true
    }
}
