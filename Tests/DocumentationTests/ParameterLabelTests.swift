import TestSupport
import Testing

// A call with four values and no labels does not say which value is which. Of Apple's signatures one function of C has
// so many.
@Suite("Labels of parameters")
struct ParameterLabelTests {
    /// How many parameters of one function may have no label.
    private static let limit = 3
    /// The function of C.
    private static let exception = "objc_setAssociatedObject"

    /// The names of the functions and initialisers of a source that have more parameters without a label than the
    /// limit.
    private static func unlabelled(_ text: SourceText) -> [String] {
        let tokens = text.tokens
        return tokens.indices.compactMap { index in
            // Behind a dot it is a call.
            guard tokens[index] == "func" || tokens[index] == "init", index == 0 || tokens[index - 1] != ".",
                let start = tokens[index...].firstIndex(of: "(")
            else { return nil }
            var (place, depth, count) = (start, 0, 0)
            repeat {
                if ["(", "[", "{"].contains(tokens[place]) { depth += 1 }
                if [")", "]", "}"].contains(tokens[place]) { depth -= 1 }
                // The parameters of a closure's type lie deeper.
                if depth == 1, tokens[place] == "_" { count += 1 }
                place += 1
            } while depth > 0 && place < tokens.count
            return count > limit ? String(tokens[tokens[index] == "func" ? index + 1 : index]) : nil
        }
    }

    /// Whether a text may have such a function: more missing labels than the limit, between which neither a body
    /// begins or ends nor an empty line stands. Taking a source apart costs time, and few texts have so many.
    private static func mayHaveUnlabelled(_ text: String) -> Bool {
        var (previous, count) = (UInt8(ascii: "\n"), 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\n"), "\n{}".utf8.contains(previous) { count = 0 }
            if byte == UInt8(ascii: " "), previous == UInt8(ascii: "_") { count += 1 }
            if count > limit { return true }
            previous = byte
        }
        return false
    }

    @Test("No function and no initialiser has more than three parameters without a label")
    func labels() throws {
        let paths = PackageFiles.paths(under: "Sources", extension: "swift")
        #expect(paths.count > 500)
        for path in paths {
            let text = try PackageFiles.text(path)
            let found = Self.mayHaveUnlabelled(text) ? Self.unlabelled(try PackageFiles.source(path)) : []
            for name in found where name != Self.exception {
                Issue.record("\(path): \(name) has more than \(Self.limit) parameters without a label")
            }
        }
    }

    @Test("The search finds functions and initialisers on one line or several, and counts no closure's parameters")
    func search() {
        let text = """
            func four(_ a: Int, _ b: Int, at c: Int, _ d: Int, _ e: Int) {}
            func three(_ a: Int, _ b: Int, c: Int, _ d: (_ e: Int, _ f: Int) -> Void) {
                Shelf.init(1, 2)
            }
            struct Shelf {
                private init<Place: Hashable>(
                    _ places: [Place], _ name: @autoclosure () -> String,  // the name, _ of _ the _ shelf
                    _ width: Int = max(1, 2),
                    _ height: Int
                ) {}
                func comparison() { let (_, _, _, _ ) = fields }
            }
            """
        #expect(Self.mayHaveUnlabelled(text))
        #expect(Self.unlabelled(SourceText(text)) == ["four", "init"])
        let wrapped = """
                func narrow(
                    _ a: Int, _ b: Int,
                    _ c: Int, _ d: Int
                ) throws
            """
        #expect(Self.mayHaveUnlabelled(wrapped))
        #expect(Self.unlabelled(SourceText(wrapped)) == ["narrow"])
        #expect(!Self.mayHaveUnlabelled("func three(_ a: Int, _ b: Int) {\n    _ = a\n    _ = b\n}\n"))
    }
}
