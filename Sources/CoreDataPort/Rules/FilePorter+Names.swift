import CoreDataModelCompiler

extension FilePorter {
    /// Imports of modules that Linux does not have.
    mutating func reportImport(at index: Int) {
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "func", "var", "let"]
        if isMark(".", at: index - 1) { return }
        let place =
            isWord(token(index + 1)?.text ?? "", at: index + 1) && kinds.contains(tokens[index + 1].text) ? 2 : 1
        guard let module = token(index + place), module.isWord, let advice = AppleModules.advice[module.text] else {
            return
        }
        byHand(module, "there is no module '\(module.text)' on Linux: \(advice)")
    }

    private static let observing =
        "there is no key-value observing on Linux: use the notifications of the context, or a property observer"

    /// Names that mean something which does not exist on Linux.
    mutating func reportName(at index: Int) {
        let token = tokens[index]
        switch token.text {
        case "NSManagedObjectContext":
            if isMark("(", at: index + 1), isMark(")", at: index + 2) {
                hint(token, "a context made without a concurrency type is confined to the thread that made it")
            }
        case "_kvcKeyPathString":
            // Always nil on Linux; the framework has a name for key paths of managed objects.
            if isMark(".", at: index - 1) { replace(token.range, by: "managedKeyPath") }
        case "observe":
            if isMark("(", at: index + 1), isMark("\\", at: index + 2) { byHand(token, Self.observing) }
        case "observeValue":
            if isMark("(", at: index + 1), isWord("forKeyPath", at: index + 2) { byHand(token, Self.observing) }
        case "addObserver", "removeObserver":
            guard isMark("(", at: index + 1), let close = closing(of: index + 1),
                tokens[index..<close].contains(where: { $0.isWord("forKeyPath") })
            else { return }
            byHand(token, Self.observing)
        case "NSKeyValueObservation": byHand(token, Self.observing)
        case "Bundle":
            if isMark("(", at: index + 1), isWord("for", at: index + 2) {
                byHand(token, "'Bundle(for:)' is the program's folder on Linux: use 'Bundle.module'")
            }
        case "XCTExpectFailure", "keyValueObservingExpectation", "XCTKVOExpectation":
            byHand(token, "XCTest on Linux has no '\(token.text)'")
        default: break
        }
    }

    /// `let set: NSSet = [a]` and `[a] as NSSet`.
    mutating func portSetLiteral(at index: Int) {
        let name = tokens[index].text
        if isMark(":", at: index - 1) {
            var position = index + 1
            while isMark("?", at: position) || isMark("!", at: position) { position += 1 }
            guard isMark("=", at: position), isMark("[", at: position + 1), let close = closing(of: position + 1) else {
                return
            }
            // What follows the literal may be a subscript or a call; it is no plain literal then.
            if let next = token(close + 1), next.follows == .nothing, next.isMark(".") || next.isMark("[") { return }
            wrap(position + 1, close, in: name)
        } else if isWord("as", at: index - 1), isMark("]", at: index - 2), let open = opening(of: index - 2) {
            if let before = token(open - 1), tokens[open].follows == .nothing, before.isWord || before.isMark(")") {
                return
            }
            wrap(open, index - 2, in: name)
            replace(tokens[index - 2].range.upperBound..<tokens[index].range.upperBound, by: "")
        }
    }

    private mutating func wrap(_ open: Int, _ close: Int, in name: String) {
        if close == open + 1 {
            return replace(tokens[open].range.lowerBound..<tokens[close].range.upperBound, by: "\(name)()")
        }
        insert("\(name)(array: ", at: tokens[open].range.lowerBound)
        insert(")", at: tokens[close].range.upperBound)
    }
}
