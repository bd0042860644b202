import CoreDataModelCompiler
import SwiftScanning

/// A `Package.swift`, as far as its targets are literals, with the places for further text.
struct PackageManifest {
    /// A call with its labelled arguments.
    struct Call {
        struct Argument {
            let label: String
            let index: Int
            /// The tokens of the value.
            let value: Range<Int>
        }

        let close: Int
        let arguments: [Argument]

        /// Whether a token is part of an argument's value.
        func contains(_ index: Int) -> Bool { arguments.contains { $0.value.contains(index) } }

        subscript(label: String) -> Argument? { arguments.first { $0.label == label } }
    }

    /// A target that is a literal.
    struct Target {
        let name: String
        /// `target`, `testTarget` …
        let kind: String
        let call: Call
        /// The possible folders of its sources, below the tree's root.
        let folders: [String]
        let excluded: [String]
        /// The paths to which its sources are confined; `nil` if the manifest has none.
        let sources: [String]?
    }

    /// The path below the tree's root.
    let path: String
    /// The name in messages.
    let name: String
    let bytes: [UInt8]
    let tokens: [SwiftToken]
    private let constants: ManifestConstants
    private(set) var package: Call?
    private(set) var targets: [Target] = []

    /// The manifest's folder below the tree's root; empty for the root.
    var folder: String { path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "" }

    /// The version of the tools in the comment of the first lines, and its place.
    var toolsVersion: (major: Int, minor: Int, line: Int, range: Range<Int>)? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 40, omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            guard let match = text.firstMatch(of: /^\/\/\s*swift-tools-version\s*:\s*((\d+)(?:\.(\d+))?[.\d]*)/) else {
                continue
            }
            let start = line.startIndex + text[..<match.output.1.startIndex].utf8.count
            return (
                Int(match.output.2) ?? 0, match.output.3.flatMap { Int($0) } ?? 0, number + 1,
                start..<start + match.output.1.utf8.count
            )
        }
        return nil
    }

    static func isManifest(_ name: String) -> Bool {
        name == "Package.swift" || name.hasPrefix("Package@swift-") && name.hasSuffix(".swift")
    }

    init(_ file: SourceTree.File, name: String) {
        path = file.path
        self.name = name
        bytes = file.bytes
        let scanned = SwiftLexer.scan(String(decoding: file.bytes, as: UTF8.self))
        tokens = scanned.tokens
        constants = ManifestConstants(scanned.tokens, scanned.interpolations)
        guard let start = tokens.indices.first(where: { isWord("Package", $0) && isMark("(", $0 + 1) }) else { return }
        package = call(at: start + 1)
        guard let list = package?["targets"], let elements = arrayElements(constants.value(of: list.value)) else {
            return
        }
        for var element in elements.map(constants.value) {
            // Both `Target.target(…)` and `.target(…)` are valid.
            if isWord("Target", element.lowerBound) { element = element.dropFirst() }
            guard isMark(".", element.lowerBound), isMark("(", element.lowerBound + 2) else { continue }
            let kind = tokens[element.lowerBound + 1].text
            let call = call(at: element.lowerBound + 2)
            guard Self.kindsWithSources.contains(kind),
                let name = call["name"].flatMap({ constants.text(of: $0.value) })
            else {
                continue
            }
            targets.append(
                Target(
                    name: name, kind: kind, call: call, folders: folders(of: name, kind, call["path"]),
                    excluded: call["exclude"].flatMap { strings($0.value) } ?? [],
                    sources: call["sources"].flatMap { strings($0.value) }))
        }
    }

    private static let kindsWithSources: Set<String> = ["target", "executableTarget", "testTarget"]

    /// Whether the package depends on packages other than those that a port adds.
    var hasOtherPackages: Bool {
        tokens.indices.contains { index in
            guard isWord("package", index), isMark(".", index - 1), isMark("(", index + 1) else { return false }
            return !texts(in: index..<closing(of: index + 1)).contains { text in
                ["OpenCoreData", "OpenCombine"].contains(where: text.contains)
            }
        }
    }

    // MARK: Reading

    func isMark(_ mark: String, _ index: Int) -> Bool { tokens.indices.contains(index) && tokens[index].isMark(mark) }

    func isWord(_ word: String, _ index: Int) -> Bool { tokens.indices.contains(index) && tokens[index].isWord(word) }

    private func closing(of index: Int) -> Int { tokens.closing(of: index) ?? tokens.count }

    /// The pieces between the commas inside a pair of brackets.
    private func pieces(from open: Int, to close: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = open + 1
        var position = start
        while position < close {
            if ["(", "[", "{"].contains(where: tokens[position].isMark) {
                position = closing(of: position)
            } else if tokens[position].isMark(",") {
                result.append(start..<position)
                start = position + 1
            }
            position += 1
        }
        if start < close { result.append(start..<close) }
        return result
    }

    private func call(at open: Int) -> Call {
        let close = closing(of: open)
        let arguments = pieces(from: open, to: close).compactMap { piece -> Call.Argument? in
            guard tokens[piece.lowerBound].isWord, isMark(":", piece.lowerBound + 1) else { return nil }
            return Call.Argument(
                label: tokens[piece.lowerBound].text, index: piece.lowerBound,
                value: piece.lowerBound + 2..<piece.upperBound)
        }
        return Call(close: close, arguments: arguments)
    }

    /// The elements of a value that consists of an array literal.
    func arrayElements(_ value: Range<Int>) -> [Range<Int>]? {
        guard isMark("[", value.lowerBound), closing(of: value.lowerBound) == value.upperBound - 1 else { return nil }
        return pieces(from: value.lowerBound, to: value.upperBound - 1)
    }

    private func strings(_ value: Range<Int>) -> [String]? {
        arrayElements(constants.value(of: value))?.compactMap(constants.text)
    }

    /// The upcoming features of the language that a target enables: those that its own settings name, and those that
    /// are named outside of all targets, for all of them.
    func features(of target: Target) -> Set<String> {
        let own = target.call["swiftSettings"].map { $0.value } ?? 0..<0
        let places = tokens.indices.filter { place in
            tokens[place].isWord("enableUpcomingFeature")
                && (own.contains(place) || !targets.contains { $0.call.contains(place) })
        }
        return Set(places.flatMap { texts(in: $0 + 1..<min($0 + 4, tokens.count)) })
    }

    /// Every text in a value, however deep.
    func texts(in value: Range<Int>) -> Set<String> {
        Set(
            tokens[value].filter { if case .literal = $0.kind { true } else { false } }.map {
                $0.text.filter { $0 != "\"" }
            })
    }

    private func folders(of name: String, _ kind: String, _ path: Call.Argument?) -> [String] {
        func below(_ path: String) -> String {
            let parts = (folder.isEmpty ? [] : [Substring(folder)]) + path.split(separator: "/").filter { $0 != "." }
            return parts.joined(separator: "/")
        }
        if let path { return constants.text(of: path.value).map { [below($0)] } ?? [] }
        let usual =
            kind == "testTarget"
            ? ["Tests", "Sources", "Source", "src", "srcs"] : ["Sources", "Source", "src", "srcs"]
        return usual.map { below("\($0)/\(name)") }
    }
}
