import SwiftScanning

/// A piece of a source file.
struct SourceText {
    let text: String
    let bytes: [UInt8]
    let file: String
    /// The place of the first byte in the file.
    let offset: Int

    init(_ syntax: JSONText?) {
        let members = Dictionary(syntax?.members ?? [], uniquingKeysWith: { first, _ in first })
        text = members["source"]?.string ?? ""
        bytes = Array(text.utf8)
        let location = members["location"]
        file = location?["fileName"]?.string ?? ""
        offset = location?["offset"]?.integer ?? 0
    }

    /// The place of a token in the file.
    func place(of token: SwiftToken) -> SourcePlace {
        SourcePlace(file: file, offset: offset + token.range.lowerBound)
    }

    /// The text from a token to another one, as it stands in the file.
    func text(of tokens: ArraySlice<SwiftToken>) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        return String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }
}

extension String {
    /// The text without spaces at either end.
    var trimmed: String {
        var view = self[...]
        while let first = view.first, first.isWhitespace { view.removeFirst() }
        while let last = view.last, last.isWhitespace { view.removeLast() }
        return String(view)
    }
}
