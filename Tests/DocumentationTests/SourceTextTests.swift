import TestSupport
import Testing

@Suite("A source taken apart")
struct SourceTextTests {
    @Test("Code in interpolations is code, text in literals and comments is none")
    func interpolations() {
        let text = SourceText(
            ##"""
            let a = "one \(two("three \(four) five")) six" // seven
            /* eight /* nine */ ten */
            let b = #"eleven \(twelve) \#(thirteen) "quoted""#
            let c = """
                fourteen "fifteen" \(sixteen(")")) // seventeen
                """
            let d = "a \" b \\" + eighteen
            """##)
        let words = text.tokens.filter { $0.count > 2 && $0 != "let" }
        #expect(words == ["two", "four", "thirteen", "sixteen", "eighteen"])
        #expect(text.literals.count == 6)
        #expect(text.literals.contains { $0.hasPrefix("eleven \\(twelve)") && $0.hasSuffix("\"quoted\"") })
        #expect(text.literals.contains { $0.contains("// seventeen") })
    }

    @Test("A regular expression is code, with its quotation marks and slashes")
    func regularExpressions() {
        let text = SourceText("let a = text.firstMatch(of: /type=\"TAG\" id=\"(\\d+)\"/) // one\nlet b = \"two\"\n")
        #expect(text.literals == ["two"])
        #expect(text.comments.map(\.text) == ["// one"])
        #expect(text.lines == ["let a = text.firstMatch(of: /type=\"TAG\" id=\"(\\d+)\"/) ", "let b = \"\"", ""])
    }

    @Test("Lines and comments keep their places")
    func places() {
        let text = SourceText(
            ##"""
            /// One.
            let a = "/// none"  // two
            /* three
               four */ let b = """
                five \(a)
                """
            let c = 1
            """##)
        #expect(text.lines == ["", "let a = \"\"  ", "", " let b = \"\"", " a ", "", "let c = 1"])
        #expect(text.comments.map(\.line) == [0, 1, 2, 3])
        #expect(text.comments.map(\.text) == ["/// One.", "// two", "/* three", "   four */"])
    }

    @Test("Members that other sources can name are found; members of functions and private ones are not")
    func declarations() {
        let names = SourceNames(
            SourceText(
                """
                public final class Shelf { private let hidden = 1
                    private(set) var room: String { let local = 1; return "\\(local)" }
                    static func move(to place: Int) { func inner() {} }
                    class func make() {}
                    enum Kind { case wide(of: Int, Int), narrow; var width: Int { 1 } }
                }
                extension Shelf { typealias Board = Int }
                func sorted() {}
                """))
        #expect(
            Set(names.declarations.map(\.name))
                == ["Shelf", "room", "move", "make", "Kind", "wide", "narrow", "width", "Board", "sorted"])
        #expect(Set(names.declarations.filter { !$0.isMember }.map(\.name)) == ["Shelf", "sorted"])
    }

    @Test("A name is used where it is none of the source's own variables, parameters or labels")
    func uses() {
        let names = SourceNames(
            SourceText(
                """
                func f(at place: Int) { let shelf = find(in: other); shelf.move(to: place); items.map { item in item }
                    if case .wide(let size) = kind { print("\\(size) \\(shelf.room)") }
                }
                """))
        #expect(names.used.isSuperset(of: ["find", "other", "move", "items", "map", "wide", "kind", "room", "print"]))
        #expect(names.used.isDisjoint(with: ["f", "at", "place", "shelf", "to", "item", "size"]))
    }
}
