import CoreDataModelCompiler

// Tests on the main actor, which XCTest on Linux knows less of.
extension FilePorter {
    /// `try await super.setUp()` of a test on the main actor: XCTest's own does nothing, and XCTest on Linux does not
    /// say that a test may go from actor to actor.
    mutating func portEmptySetUp(at index: Int) {
        guard surroundings.isStrict, isWord("await", at: index - 1), isWord("try", at: index - 2),
            isMark(".", at: index + 1), isWord("setUp", at: index + 2) || isWord("tearDown", at: index + 2),
            isMark("(", at: index + 3), isMark(")", at: index + 4), interpolation == nil,
            tokens[index - 2].follows == .newline, token(index + 5)?.follows == .newline,
            let type = file.scopes.type(at: tokens[index].range.lowerBound),
            keys.types.declarations[type]?.inherited.first == "XCTestCase", isOfMainActor(type)
        else { return }
        let start = file.bytes[..<tokens[index - 2].range.lowerBound].lastIndex(of: UInt8(ascii: "\n")) ?? 0
        replace(start..<tokens[index + 4].range.upperBound, by: "")
    }

    /// `func testSave() throws` of the main actor: XCTest on Linux stops the process when it looks for tests, unless
    /// they are asynchronous.
    mutating func portTestOfMainActor(at index: Int) {
        guard let name = token(index + 1), name.text.hasPrefix("test"), isMark("(", at: index + 2),
            isMark(")", at: index + 3), !isWord("async", at: index + 4),
            let type = file.scopes.type(at: name.range.lowerBound),
            keys.types.chain(from: type).contains("XCTestCase")
        else { return }
        let modifiers = tokens[startOfDeclaration(with: index)..<index]
        guard !modifiers.contains(where: { $0.isWord("private") || $0.isWord("nonisolated") || $0.isWord("static") }),
            modifiers.contains(where: { $0.isWord("MainActor") }) || isOfMainActor(type),
            let open = tokens[index...].firstIndex(where: { $0.isMark("{") }), let close = closing(of: open)
        else { return }
        if tokens[open..<close].contains(where: { $0.isWord("wait") || $0.isWord("waitForExpectations") }) {
            return byHand(
                name,
                "XCTest on Linux stops when it finds a test of the main actor that is not asynchronous: make it 'async', and "
                    + "wait by 'await fulfillment(of:)'")
        }
        insert(" async", at: tokens[index + 3].range.upperBound)
        // A requirement of a protocol would decide otherwise where an asynchronous method runs.
        if keys.types.declarations[type].map({ $0.inherited.count > 1 }) == true,
            !modifiers.contains(where: { $0.isWord("MainActor") })
        {
            insert("@MainActor ", at: tokens[startOfDeclaration(with: index)].range.lowerBound)
        }
    }

    /// Whether a class of the file has `@MainActor`.
    private func isOfMainActor(_ type: String) -> Bool {
        guard let body = file.scopes.bodies.first(where: { $0.type == type && $0.keyword == "class" }),
            let brace = tokens.firstIndex(where: { $0.range.upperBound == body.range.lowerBound }),
            let keyword = tokens[..<brace].lastIndex(where: { $0.isWord("class") })
        else { return false }
        return tokens[startOfDeclaration(with: keyword)..<keyword].contains { $0.isWord("MainActor") }
    }
}
