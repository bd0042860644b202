import SwiftScanning
import Testing

@testable import CoreDataModelCompiler

@Suite("Tokens of Swift source")
struct SwiftLexerTests {
    private func texts(_ source: String) -> [String] { SwiftLexer.tokens(in: source).map(\.text) }

    @Test("Comments vanish, nested ones too, and the tokens around them stay apart")
    func comments() {
        #expect(texts("a /* b /* c */ d */ e // f\ng") == ["a", "e", "g"])
        #expect(SwiftLexer.tokens(in: "a/* \n */b")[1].follows == .newline)
    }

    @Test(
        "A string is one token, with any content",
        arguments: [
            #""plain""#, #""with \"quotes\"""#, #""\(call("inner \(deep)") + "}")""#, ##"#"raw " \(no) \#(yes)"#"##,
            "\"\"\"\nseveral\n\"lines\" { \\(x)\n\"\"\"", "#\"\"\"\n\"\"\" \\(\n\"\"\"#", "#/ex[\"/]/#",
        ])
    func strings(literal: String) {
        #expect(texts("a = \(literal) }") == ["a", "=", literal, "}"])
    }

    @Test("Thousands of strings in strings are read without running out of stack")
    func deepStrings() {
        #expect(SwiftLexer.tokens(in: "a " + String(repeating: "\"\\(", count: 20_000)).first?.text == "a")
    }

    @Test("A slash after something to divide is division, elsewhere it may begin a regular expression")
    func regularExpressions() {
        #expect(texts("a / b / c") == ["a", "/", "b", "/", "c"])
        #expect(texts("x(a)/b/c").count == 8)
        #expect(texts("let r = /a\"{/") == ["let", "r", "=", "/a\"{/"])
    }

    @Test("Conditions of compilation are tokens with their condition, without comments")
    func directives() {
        let tokens = SwiftLexer.tokens(in: "#if os(Linux) && !DEBUG // why\na\n#elseif X\n#else\n#endif\n#selector(b)")
        #expect(tokens.map(\.text) == ["os(Linux) && !DEBUG", "a", "X", "", "", "#", "selector", "(", "b", ")"])
        #expect(texts("#if (A /* b */ && C\n|| D) \nx") == ["(A   && C || D)", "x"])
    }

    @Test("Lines and columns are those of the source")
    func positions() {
        let tokens = SwiftLexer.tokens(in: "a\n  \"\"\"\n  x\n  \"\"\" bé `class`")
        #expect(tokens.map(\.line) == [1, 2, 4, 4])
        #expect(tokens.map(\.column) == [1, 3, 7, 11])
    }

    @Test(
        "An unfinished token reaches to the end",
        arguments: ["\"", "\"\"\"", "/* a", "`a", "\"\\(", "#\"", "#/", "#if"])
    func unfinished(source: String) {
        #expect(SwiftLexer.tokens(in: source).count <= 1)
    }
}
