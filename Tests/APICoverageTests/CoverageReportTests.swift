import APICoverage
import Foundation
import Testing

@Suite struct CoverageReportTests {
    private static let reference = """
        # 1 Things

        ## Thing : Base  — 1.0
        - `init(name: String)` — 1.0 [used 3/9]
        - `var name: String { get }` — 1.0 [used 2/4]
        - `class func all() -> [Thing]` — 1.0 [used 1/1]
        - `func wait() async` — 2.0 [used 4/8]
        - `func sync()` — 2.0

        *enum Colour : Int  (verified)*

        - `red = 1` — 1.0 [used 1/2]

        *Globals*

        - `var size: Int` — 1.0

        ## Loose symbols
        - `Cloud { up(), down() }` — 1.0 [used 5/50]

        # 9 Later
        - `NSNever` — 9.0
        """

    /// A class with a superclass, as the compiler describes them.
    private static let graph = """
        {"symbols": [
          {"kind": {"identifier": "swift.class"}, "identifier": {"precise": "t"}, "pathComponents": ["Thing"]},
          {"kind": {"identifier": "swift.class"}, "identifier": {"precise": "b"}, "pathComponents": ["Base"]},
          {"kind": {"identifier": "swift.init"}, "identifier": {"precise": "bi"}, "pathComponents": ["Base", "init(name:)"]},
          {"kind": {"identifier": "swift.property"}, "identifier": {"precise": "bn"}, "pathComponents": ["Base", "name"]},
          {"kind": {"identifier": "swift.method"}, "identifier": {"precise": "ta"}, "pathComponents": ["Thing", "all()"]},
          {"kind": {"identifier": "swift.method"}, "identifier": {"precise": "tw"}, "pathComponents": ["Thing", "wait()"],
           "declarationFragments": [{"spelling": "func"}, {"spelling": "async"}]},
          {"kind": {"identifier": "swift.method"}, "identifier": {"precise": "ts"}, "pathComponents": ["Thing", "sync()"],
           "availability": [{"domain": "*", "isUnconditionallyUnavailable": true}]},
          {"kind": {"identifier": "swift.enum.case"}, "identifier": {"precise": "r"}, "pathComponents": ["Colour", "red"]}
        ],
        "relationships": [{"kind": "inheritsFrom", "source": "t", "target": "b"}]}
        """

    private static func report(notes: String = "") throws -> CoverageReport {
        var symbols = SymbolGraph()
        try symbols.add(Data(graph.utf8))
        return CoverageReport(
            APIReference.entries(in: reference, excluding: [9]), in: symbols, notes: try CoverageNotes(notes))
    }

    @Test("Members are found in the class and its superclass; initialisers are not inherited")
    func whatIsThereIsFoundInTheClassAndItsSuperclassButInitialisersAreNotInherited() throws {
        let missing = try Self.report().missing.map(\.symbol.path)
        #expect(missing.contains("Thing.init(name:)"))
        #expect(!missing.contains("Thing.name"))
        #expect(!missing.contains("Thing.wait()"))
        #expect(!missing.contains("Colour.red"))
    }

    @Test("A class method is no instance method, and an unavailable symbol is missing")
    func aClassMethodIsNoInstanceMethodAndWhatIsUnavailableIsMissing() throws {
        let missing = try Self.report().missing.map(\.symbol.path)
        #expect(missing.contains("Thing.all()"))
        #expect(missing.contains("Thing.sync()"))
    }

    @Test("An enums heading ends with the next heading")
    func anEnumsHeadingEndsWithTheNextHeading() throws {
        #expect(try Self.report().missing.map(\.symbol.path).contains("Thing.size"))
    }

    @Test("Symbols of one entry share its weight")
    func symbolsOfOneEntryShareItsWeight() throws {
        let loose = try #require(try Self.report().groups.last)
        #expect(loose.name == "Loose symbols")
        #expect(loose.tally.total == 3)
        #expect(abs(loose.tally.uses - 50) < 0.001)
        #expect(loose.tally.percentOfUses == 0)
    }

    @Test("Notes take entries out, name their symbols and say why entries wait")
    func notesTakeEntriesOutNameTheirSymbolsAndSayWhatIsWaitedFor() throws {
        let report = try Self.report(
            notes: """
                # a comment
                Thing\tclass func all…\tsymbols\tThing.wait()
                Thing\tfunc sync()\twaits\ta clock
                Loose symbols\t…\tout\tthe weather
                """)
        #expect(report.outOfScope.map(\.reason) == ["the weather"])
        #expect(report.overall.outOfScope == 3)
        #expect(!report.missing.contains { $0.symbol.path == "Thing.all()" })
        #expect(report.missing.first { $0.symbol.path == "Thing.sync()" }?.waitsFor == "a clock")
    }

    @Test("A line of notes without its fields is an error with its number")
    func aLineOfNotesWithoutItsFieldsIsAnErrorWithItsNumber() {
        #expect {
            try CoverageNotes("# fine\nThing\tout")
        } throws: { "\($0)".contains("line 2") }
    }

    @Test("The text has the table the figures and the reasons")
    func theTextHasTheTableTheFiguresAndTheReasons() throws {
        let text = try Self.report(notes: "Loose symbols\t…\tout\tthe weather").text
        #expect(text.contains("Thing"))
        #expect(text.contains("Out of scope, not counted: 3 symbols."))
        #expect(text.contains("missing, waits for nothing:"))
        #expect(text.contains("the weather"))
    }

    @Test("Sources name a symbol by its base name, an initialiser by its type")
    func named() {
        let named = NamedSymbols(sources: ["let thing = Thing(name: 1)", "thing.all()"])
        #expect(named.contains(APISymbol("Thing.all()")))
        #expect(named.contains(APISymbol("Thing.init(other:)")))
        #expect(!named.contains(APISymbol("Thing.al()")))
        #expect(!named.contains(APISymbol("Other.init()")))
        #expect(named.contains(APISymbol("Thing")))
    }
}
