import APICoverage
import Foundation
import Testing

@Suite("Signatures") struct SignatureTests {
    @Test(
        "A short form equals the compiler's text of the same declaration",
        arguments: [
            ("func insert<T>(T)", "func insert<Model>(_ model: Model) where Model : PersistentModel"),
            (
                "func delete<T>(model: T.Type, where: Predicate<T>?, all: Bool) throws",
                "func delete<T>(model: T.Type, where predicate: Predicate<T>? = nil, all: Bool = true) throws"
            ),
            (
                "func getValue<Value, Other>(forKey: KeyPath<Self.Model, Value>) -> Value",
                "func getValue<A, B>(forKey key: KeyPath<Self.Model, A>) -> A where A : Many, B == A.Element"
            ),
            ("init(String?, url: URL)", "convenience init(_ name: String? = nil, url: FoundationEssentials.URL)"),
            ("init(from: any Decoder) throws", "required init(from decoder: any Decoder) throws"),
            ("static let didSave: Notification.Name", "static let didSave: NSNotification.Name"),
            ("let id: Thing.ID", "var id: Thing.ID { get }"),
            ("var main: Context", "@MainActor var main: Context { get }"),
            ("static func < (Version, Version) -> Bool", "static func < (lhs: Version, rhs: Version) -> Bool"),
            ("static func ~= (Fault, any Error) -> Bool", "static func ~= (match: Fault, error: any Error) -> Bool"),
            ("static func `private`(String) -> Base", "static func `private`(_ name: String) -> Base"),
            ("subscript<T>(ID, as _: T.Type) -> T?", "subscript<Model>(id: ID, as type: Model.Type) -> Model? { get }"),
            ("subscript(name _: Name) -> Section?", "subscript(name name: Name) -> Section? { get }"),
            (
                "case custom(from: Int, will: ((Context) throws -> Void)?)",
                "case custom(from: Int, will: ((Context) throws -> Void)?)"
            ),
            (
                "macro Unique<T>([PartialKeyPath<T>]...)",
                "@freestanding(declaration) macro Unique<Model>(_ all: [PartialKeyPath<Model>]...) where Model : Many"
            ),
            ("macro Model()", "@attached(member, names: named(init)) @attached(memberAttribute) macro Model()"),
            ("Schema.Version", "struct Version"),
            ("Model", "associatedtype Model : PersistentModel"),
            (
                "func run([String : Int], block: () throws -> Void) throws",
                "func run(_ table: [String : Int] = [:], block: @escaping () throws -> Void) throws"
            ),
        ])
    func equal(documented: String, compiled: String) {
        #expect(Signature(documented) != nil)
        #expect(Signature(documented) == Signature(compiled))
    }

    @Test(
        "Another name, label, type, result, effect or kind of member is another signature",
        arguments: [
            "func other<T>(for: T, size: Int) throws -> [T]", "func fetch<T>(of: T, size: Int) throws -> [T]",
            "func fetch<T>(for: T, size: UInt) throws -> [T]", "func fetch<T>(for: T, size: Int) throws -> T",
            "func fetch<T>(for: T, size: Int) -> [T]", "static func fetch<T>(for: T, size: Int) throws -> [T]",
            "func fetch<T>(for: T, size: Int) async throws -> [T]", "func fetch<T>(for: T) throws -> [T]",
            "func fetch<T>(for: Int, size: T) throws -> [T]",
        ])
    func different(_ text: String) {
        #expect(Signature(text) != Signature("func fetch<T>(for: T, size: Int) throws -> [T]"))
    }

    @Test("A heading declares nothing")
    func heading() { #expect(Signature("Internal symbols") == nil) }

    /// A list, and the symbols of a module, as the compiler describes them.
    private static func report(notes: String = "", graph: [String: [(path: String, text: String)]]) throws -> String {
        let list = """
            symbol\tdeclaration
            store\tStore
            store/internal\tInternal symbols
            store/get(_:)-1abcd\tfunc get<Value>(Value) -> Int
            store/get(_:)-2efgh\tfunc get<Value>(Value) -> Int
            store/kind-swift.enum\tStore.Kind
            store/kind-swift.enum/one\tcase one
            store/size\tvar size: Int
            later/name\tvar name: String
            """
        let symbols = graph.flatMap { kind, all in
            all.map { path, text in
                """
                {"kind": {"identifier": "\(kind)"}, "identifier": {"precise": "\(path) \(text)"},
                 "pathComponents": [\(path.split(separator: "/").map { "\"\($0)\"" }.joined(separator: ", "))],
                 "declarationFragments": [{"spelling": "\(text)"}]}
                """
            }
        }
        var declared = DeclaredSignatures()
        try declared.add(
            Data("{\"symbols\": [\(symbols.joined(separator: ", "))], \"relationships\": []}".utf8))
        let report = SignatureReport(list, in: declared, notes: try SignatureNotes(notes))
        return report.text + "\(report.isWhole)"
    }

    private static let whole: [String: [(path: String, text: String)]] = [
        "swift.class": [("Store", "final class Store")], "swift.enum": [("Store/Kind", "enum Kind")],
        "swift.enum.case": [("Store/Kind/one", "case one")], "swift.property": [("Store/size", "let size: Int")],
        "swift.method": [
            ("Store/get(_:)", "func get<A>(_ a: A) -> Int where A : P"),
            ("Store/get(_:)", "func get<B>(_ b: B) -> Int where B : Q"),
        ],
    ]

    @Test("Each symbol is declared, excused, declared otherwise or missing")
    func verdicts() throws {
        let report = try Self.report(notes: "later\tlater…\n", graph: Self.whole)
        #expect(report.contains("declared: 6\n"))
        #expect(report.contains("out of scope, later: 1\n  later/name\n"))
        #expect(report.hasSuffix("declared otherwise: 0\n\nmissing: 0\ntrue"))

        var lacking = Self.whole
        lacking["swift.property"] = [("Store/size", "let size: Int64")]
        lacking["swift.method"]?.removeLast()
        lacking["swift.struct"] = lacking.removeValue(forKey: "swift.enum")
        let text = try Self.report(notes: "later\tlater…\n", graph: lacking)
        #expect(text.contains("declared otherwise: 1\n  store/size: var size: Int\n      here: let size: Int64\n"))
        #expect(text.contains("missing: 2\n  store/get(_:)-2efgh: "))
        #expect(text.hasSuffix("  store/kind-swift.enum: Store.Kind\nfalse"))
    }

    @Test("A note that excuses nothing fails the check, and one without a tab is an error")
    func notes() throws {
        let report = try Self.report(notes: "later\tlater… store/size\n", graph: Self.whole)
        #expect(report.contains("notes that excuse nothing:\n  store/size\n"))
        #expect(report.hasSuffix("false"))
        #expect(throws: SignatureNotes.Unreadable.self) { try SignatureNotes("# a comment\n\nno tab") }
    }
}
