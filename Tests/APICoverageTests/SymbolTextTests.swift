import APICoverage
import Testing

@Suite struct SymbolTextTests {
    private func paths(_ text: String, owner: String? = "Thing") -> [String] {
        SymbolText.symbols(in: text, owner: owner).map(\.description)
    }

    @Test("A function is named by its labels")
    func aFunctionIsNamedByItsLabels() {
        #expect(paths("func go(_ way: [A: B], to end: C = nil) throws -> D") == ["Thing.go(_:to:)"])
        #expect(paths("func fetch<T: Some<U>>(_ one: Ask<T>) -> [T]") == ["Thing.fetch(_:)"])
        #expect(paths("func leave()") == ["Thing.leave()"])
    }

    @Test("Shorthand labels need no types")
    func shorthandLabelsNeedNoTypes() {
        #expect(paths("init(a:b:c:)") == ["Thing.init(a:b:c:)"])
        #expect(paths("convenience init?(at: = nil, by: Two)") == ["Thing.init(at:by:)"])
    }

    @Test("Several pieces give several symbols")
    func severalPiecesGiveSeveralSymbols() {
        #expect(paths("func a(); func b(c: D)") == ["Thing.a()", "Thing.b(c:)"])
        #expect(paths("var a, b: C? { get }; let d: E") == ["Thing.a", "Thing.b", "Thing.d"])
        #expect(
            paths("load(), save(of:), name, kind { get }") == [
                "Thing.load()", "Thing.save(of:)", "Thing.name", "Thing.kind",
            ])
    }

    @Test("A type brings its members")
    func aTypeBringsItsMembers() {
        #expect(paths("enum NSKind : UInt { one=0, two=1 }") == ["NSKind", "NSKind.one", "NSKind.two"])
        #expect(paths("struct Kind { static let one, two }") == ["Thing.Kind", "Thing.Kind.one", "Thing.Kind.two"])
        #expect(
            paths("NSNode { init(a:b:), value(for: X) -> Any?, size: Int64, done: ((A, B) -> Void)? }", owner: nil)
                == ["NSNode", "NSNode.init(a:b:)", "NSNode.value(for:)", "NSNode.size", "NSNode.done"])
    }

    @Test("Globals cases and notifications have their owners")
    func globalsCasesAndNotificationsHaveTheirOwners() {
        #expect(paths("NSSomeKey (\"some\")") == ["NSSomeKey"])
        #expect(paths("first = 3", owner: "NSKind") == ["NSKind.first"])
        #expect(paths(".first", owner: "NSKind") == ["NSKind.first"])
        #expect(paths(".NSThingDidEnd (Thing.ended)") == ["NSNotification.Name.NSThingDidEnd"])
        #expect(
            paths("NSBadError = 17 (.bad)") == ["NSBadError", "CocoaError.bad", "CocoaError.Code.bad"])
    }

    @Test("A type in front of members is their owner")
    func aTypeInFrontIsTheOwnerOfWhatFollows() {
        #expect(paths("Path(row:section:) / (item:section:)", owner: nil).first == "Path.init(row:section:)")
        #expect(paths("Path.row / column", owner: nil) == ["Path.row", "Path.column"])
    }

    @Test("Static and async forms are distinguished")
    func staticAndAsyncFormsAreToldApart() {
        let form = SymbolText.symbols(in: "class func make(of: A) async throws -> B", owner: "Thing")
        #expect(form == [APISymbol("Thing.make(of:)", isStatic: true, isAsync: true)])
    }
}
