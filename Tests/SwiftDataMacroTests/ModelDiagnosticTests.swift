import TestSupport
import Testing

@Suite("Diagnostics of @Model")
struct ModelDiagnosticTests {
    private static func diagnostics(_ members: String, mode: Int = 6) throws -> [String] {
        let declaration = "@Model\nfinal class Trip {\n\(members)\n    init() {}\n}"
        return try CompilerMessage(declaration: declaration, mode: mode).answer().diagnostics
    }

    @Test(
        "A declaration that is no class is an error at its keyword",
        arguments: [("struct", "5:8"), ("actor", "5:8"), ("enum", "5:8"), ("protocol", "5:8")])
    func kinds(keyword: String, place: String) throws {
        var message = CompilerMessage(declaration: "// A comment.\n\n@Model \(keyword) Trip {}")
        let answer = try message.answer()
        #expect(
            answer.diagnostics == [
                "\(place): error: '@Model' can only be applied to a class, and 'Trip' is of another kind: write 'class' "
                    + "instead of '\(keyword)'"
            ])
        #expect(answer.source.isEmpty)
        message.role = "extension"
        #expect(try message.expansion().isEmpty)
    }

    @Test("A generic class is an error at its name")
    func generic() throws {
        let answer = try CompilerMessage(declaration: "@Model class Trip<Place> { init() {} }").answer()
        #expect(answer.diagnostics == ["3:14: error: a generic class cannot be a model: an entity has one name"])
        #expect(answer.source.isEmpty)
    }

    @Test("An isolated class is an error at its attribute in the Swift 6 language mode", arguments: [5, 6])
    func isolated(mode: Int) throws {
        let answer = try CompilerMessage(declaration: "@Model @MainActor class Trip { init() {} }", mode: mode).answer()
        let error = "3:8: error: a model belongs to its context and not to an actor: leave out '@MainActor'"
        #expect(answer.diagnostics == (mode == 6 ? [error] : []))
    }

    @Test("A class without an initializer is an error at its name")
    func withoutInitializer() throws {
        let answer = try CompilerMessage(declaration: "@Model class Trip { var a = 1 }").answer()
        #expect(
            answer.diagnostics == [
                "3:14: error: 'Trip' needs an initializer: write 'init' with a value for each property"
            ])
        #expect(answer.source.contains("required init(backingData:"))
    }

    @Test(
        "A property that cannot be persisted is an error at its place",
        arguments: [
            (
                "    let a: Int",
                "5:5: error: a constant cannot be persisted in the Swift 6 language mode: write 'var', or 'private(set) var'"
            ),
            ("    private lazy var a = 1", "5:13: error: a 'lazy' property cannot be persisted: mark it '@Transient'"),
            ("    weak var a: Stop?", "5:5: error: a 'weak' property cannot be persisted: mark it '@Transient'"),
            (
                "    unowned(unsafe) var a: Stop",
                "5:5: error: a 'unowned' property cannot be persisted: mark it '@Transient'"
            ),
            (
                "    @Transient\n    var a: Int",
                "6:9: error: 'a' needs a default or an optional type: a fetched model gets no other value for a transient property"
            ),
            (
                "    var a: (Int, String)? = nil",
                "5:12: error: a tuple cannot be persisted: give 'a' a type that is 'Codable', or mark it '@Transient'"
            ),
            (
                "    var a: [(Int) -> Int] = []",
                "5:12: error: a function cannot be persisted: give 'a' a type that is 'Codable', or mark it '@Transient'"
            ),
            (
                "    var a = { 1 }",
                "5:13: error: a function cannot be persisted: give 'a' a type that is 'Codable', or mark it '@Transient'"
            ),
            (
                "    var é: [String: Any] = [:]",
                "5:13: error: a value of type 'Any' cannot be persisted: give 'é' a type that is 'Codable', or mark it '@Transient'"
            ),
            (
                "    var a: any Shape",
                "5:12: error: a value of any type of a protocol cannot be persisted: give 'a' a type that is 'Codable', or mark it '@Transient'"
            ),
            (
                "    var a = 1, b: Int? = nil",
                "5:5: error: a persisted property needs a declaration of its own: write 'var' for each"
            ),
            (
                "    var (a, b) = (1, 2)",
                "5:5: error: a persisted property needs a declaration of its own: write 'var' for each"
            ),
            (
                "    var a = 1 {\n        didSet { print(a) }\n    }",
                "6:9: warning: 'didSet' of a persisted property is not called: let a computed property set 'a'"
            ),
            (
                "    var a: Int {\n        willSet { }\n    }",
                "6:9: warning: 'willSet' of a persisted property is not called: let a computed property set 'a'"
            ),
            (
                "    var a: Int { 1 }\n    #Index<Trip>([\\.a])",
                "6:21: error: 'a' is computed, so '#Index' cannot use it"
            ),
            (
                "    @Transient var a = 1\n    #Unique<Trip>([\\.b], [\\Trip.a])",
                "6:33: error: 'a' is transient, so '#Unique' cannot use it"
            ),
            (
                "    static let a = 1\n    #Index<Trip>(.rtree([\\.a]))",
                "6:28: error: 'a' is a property of the type, so '#Index' cannot use it"
            ),
        ])
    func properties(member: String, diagnostic: String) throws {
        #expect(try Self.diagnostics(member) == [diagnostic])
    }

    @Test(
        "A sound property is none",
        arguments: [
            "let a: Int = 1", "@Transient let a = 1", "@Transient lazy var a = 1", "@Transient weak var a: Stop?",
            "@Transient var a: Any?", "@Transient var a = 1, b = 2", "static var a: () -> Void = {}",
            "var a: Any { 1 }", "func a() { lazy var b = 1 }", "var a: [String: [Int]] = [:]", "var a = call { 1 }",
            "var a: Company = .any", "#Index<Trip>([\\.a.b])",
        ])
    func soundProperties(member: String) throws {
        #expect(try Self.diagnostics(member, mode: 5).isEmpty)
    }

    @Test("An unsound property is left out of the expansion, so that the compiler adds no errors of its own")
    func leftOut() throws {
        let answer = try CompilerMessage(
            declaration: "@Model class Trip { lazy var a = 1; var b: Int; init() {} }"
        ).answer()
        #expect(!answer.source.contains("_a") && answer.source.contains("_b"))
        #expect(answer.diagnostics.count == 1)
    }

    @Test("An inverse that both sides name is an error with both places")
    func inverses() throws {
        func declaration(_ type: String, _ property: String, _ inverse: String) -> String {
            "@Model class \(type) { @Relationship(inverse: \\\(inverse)) var \(property): X?; init() {} }"
        }
        let first = CompilerMessage(declaration: declaration("Harbour", "ships", "Ship.harbour"))
        #expect(try first.answer().diagnostics.isEmpty)
        let other = CompilerMessage(
            declaration: declaration("Ship", "harbour", "Harbour.ships"), surroundings: ["enum OtherVersion {}"])
        #expect(try other.answer().diagnostics.isEmpty)
        let second = CompilerMessage(declaration: declaration("Ship", "harbour", "Harbour.ships"))
        #expect(
            try second.answer().diagnostics == [
                "3:35: error: 'Harbour.ships' names 'Ship.harbour' as its inverse: leave out one of the two",
                "3:38: note: the inverse is named here, too",
            ])
    }

    @Test("A model actor that is none is an error at its keyword")
    func modelActor() throws {
        let answer = try CompilerMessage(macro: "ModelActorMacro", declaration: "@ModelActor class A {}").answer()
        #expect(
            answer.diagnostics == [
                "3:13: error: '@ModelActor' can only be applied to an actor: write 'actor' instead of 'class'"
            ])
    }

    // MARK: Sources of no sense

    @Test(
        "A declaration that is no Swift is an error",
        arguments: [
            "", "@Model", "class", "class Trip", "class Trip {", "{}", "💥", "class { }",
            "class Trip { var a = \"\"\" }",
        ])
    func noSwift(declaration: String) throws {
        #expect(
            try CompilerMessage(declaration: declaration).answer().diagnostics == [
                "3:1: error: the declaration of a model cannot be read"
            ])
    }

    @Test("Thousands of properties are an error at the first one too many")
    func manyProperties() throws {
        let properties = (0..<10_000).map { "    var p\($0): Int = 0\n" }.joined()
        let message = CompilerMessage(declaration: "@Model class Trip {\n\(properties)    init() {}\n}")
        let answer = try message.answer()
        #expect(
            answer.diagnostics == [
                "2004:5: error: a model has at most 2000 persisted properties, and this class has 10000"
            ])
        #expect(answer.source.isEmpty)
    }

    @Test("A literal of a megabyte is an error at the class, and no member gets an attribute")
    func longLiteral() throws {
        let literal = String(repeating: "a", count: 1_000_000)
        var message = CompilerMessage(declaration: "@Model class Trip { var a = \"\(literal)\"; init() {} }")
        #expect(
            try message.answer().diagnostics == [
                "3:1: error: the declaration of a model has 1000043 bytes, and 500000 are read at most"
            ])
        message.role = "memberAttribute"
        message.surroundings = ["class Trip {}"]
        #expect(try message.expansion().isEmpty)
    }

    @Test("Brackets without an end, and comparisons of thousands of values, are read in linear time")
    func brackets() throws {
        for piece in ["<", "(", "a<", "{", "var a: <", "@a<", "#a<", ",", "\"\\(", "/*", "a, b: "] {
            let members = String(repeating: piece, count: 10_000)
            let answer = try CompilerMessage(declaration: "class Trip { var a = \(members) }").answer()
            #expect(!answer.diagnostics.isEmpty, "\(piece)")
        }
    }

    @Test("Random parts of a source end with an answer", arguments: 0..<8)
    func damagedSources(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let text = Array(ShapesSample.text.utf8)
        for _ in 0..<20 {
            var damaged = Array(text[..<Int.random(in: 0...text.count, using: &random)])
            if Bool.random(using: &random), !damaged.isEmpty {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] = Array("(){}[]<>\"@#:=,;\\`/*".utf8).randomElement(using: &random) ?? 0
            }
            var message = CompilerMessage(declaration: String(decoding: damaged, as: UTF8.self))
            let answer = try message.answer()
            let isWhole = damaged.count == text.count
            #expect(isWhole || !answer.diagnostics.isEmpty || !answer.source.isEmpty)
            for role in ["memberAttribute", "extension", "accessor", "peer"] {
                message.role = role
                message.macro = role == "accessor" || role == "peer" ? "PersistedPropertyMacro" : message.macro
                message.surroundings = [message.declaration]
                _ = try message.answer()
            }
        }
    }
}

/// A class with members of many shapes.
enum ShapesSample {
    static let text = """
        @available(macOS 14, *) @Model public final class Shapes: Base, Codable {
            // A comment.
            @Attribute(.unique, originalName: "c\\("d" + "e")") public private(set) var key = UUID()
            /* another */ @Relationship(deleteRule: .cascade, inverse: \\Leaf.shapes)
            var leaves: [Leaf]? = []
            var text = #"a"b"#, more: Dictionary<String, [Int]> = [:]
            var long = \"\"\"
                several
                lines \\(1 + [2].count)
                \"\"\"
            var closure: Int = [1, 2].map { $0 + 1 }.reduce(0, +) { didSet { print(oldValue) } }
            var computed: String { get { text } set { text = newValue } }
            #if os(Linux)
            @Transient private lazy var cache: [String: Any] = [:]
            #endif
            #Unique<Shapes>([\\.key], [\\.text, \\.closure])
            enum CodingKeys: String, CodingKey { case key = "k", text }
            struct Inner<T> where T: Equatable { var a: T? }
            init(from decoder: any Decoder) throws { key = try decoder.singleValueContainer().decode(UUID.self) }
            subscript(place: Int) -> Int { place < 3 ? place : -place }
            deinit {}
        }
        """
}
