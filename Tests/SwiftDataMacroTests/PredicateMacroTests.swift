import Foundation
import SwiftDataExpansion
import Testing

/// `#Predicate` and `#Expression` of models: what they expand to, and what they report.
@Suite("Expansions of #Predicate for models")
struct PredicateMacroTests {
    private static let before = "import SwiftData\n\nlet a = "

    private func answer(_ source: String, macro: String = "ModelPredicateMacro") throws -> Answer {
        let location: [String: Any] = [
            "fileID": "M/A.swift", "fileName": "M/A.swift", "offset": Self.before.utf8.count, "line": 3, "column": 9,
        ]
        let inner: [String: Any] = [
            "macro": ["moduleName": "SwiftDataMacros", "name": "Predicate", "typeName": macro],
            "macroRole": "expression", "discriminator": "$s1M",
            "syntax": ["kind": "expression", "location": location, "source": source],
        ]
        let data = try JSONSerialization.data(withJSONObject: ["expandFreestandingMacro": inner])
        return try Answer(MacroPlugin.answer(to: Array(data)), in: Self.before + source)
    }

    /// The expression of a closure with the variable `$0`, without the names of types.
    private func expression(_ source: String) throws -> String {
        let answer = try answer("#Predicate { \(source) }")
        #expect(answer.diagnostics.isEmpty)
        let prefix = "Foundation.Predicate({ _$value1 in\nreturn "
        guard answer.source.hasPrefix(prefix) else { return answer.source }
        return answer.source.dropFirst(prefix.count).dropLast("\n})".count)
            .replacingOccurrences(of: "Foundation.PredicateExpressions.", with: "")
            .replacingOccurrences(of: "build_", with: "").replacingOccurrences(of: "_$", with: "")
    }

    @Test(
        "Each part becomes the call that builds its expression",
        arguments: [
            ("$0.a == 1", #"Equal(lhs: KeyPath(root: value1, keyPath: \.a), rhs: Arg(1))"#),
            ("!$0.a", #"Negation(KeyPath(root: value1, keyPath: \.a))"#),
            ("$0 is Van", "TypeCheck<_, Van>(value1)"),
            (
                "($0 as? M.Van)?.a",
                #"flatMap(ConditionalCast<_, M.Van>(value1)) { value2 in KeyPath(root: value2, keyPath: \.a) }"#
            ),
            ("$0.a!", #"ForcedUnwrap(KeyPath(root: value1, keyPath: \.a))"#),
            ("b!", "SwiftData._PredicateParts.unwrapped(b, as: { b! })"),
            (
                "$0.a == b!.c!",
                #"Equal(lhs: KeyPath(root: value1, keyPath: \.a), rhs: SwiftData._PredicateParts.unwrapped(b?.c, as: { b!.c! }))"#
            ),
            ("b!.c(1)", "SwiftData._PredicateParts.unwrapped(b?.c(1), as: { b!.c(1) })"),
            ("$0.a ?? nil", #"NilCoalesce(lhs: KeyPath(root: value1, keyPath: \.a), rhs: NilLiteral())"#),
            ("codes.contains($0.a)", #"contains(Arg(codes), KeyPath(root: value1, keyPath: \.a))"#),
            (
                "codes.map { $0 + 1 }.contains($0.a)",
                #"contains(Arg(codes.map { $0 + 1 }), KeyPath(root: value1, keyPath: \.a))"#
            ),
            ("inner.evaluate($0)", "SwiftData._PredicateParts.evaluate(Arg(inner), value1)"),
            ("try inner.evaluate($0)", "SwiftData._PredicateParts.evaluate(Arg(inner), value1)"),
            ("$0.a.hasPrefix(\"x\")", #"starts(KeyPath(root: value1, keyPath: \.a), with: Arg("x"))"#),
            (
                "$0.a[0] < -1.5",
                #"Comparison(lhs: subscript(KeyPath(root: value1, keyPath: \.a), Arg(0)), rhs: Arg(-1.5), op: .lessThan)"#
            ),
            ("$0.a[\"k\", default: 2]", #"subscript(KeyPath(root: value1, keyPath: \.a), Arg("k"), default: Arg(2))"#),
            (
                "(b...3).contains($0.a)",
                #"contains(SwiftData._PredicateParts.closedRange(lower: Arg(b), upper: Arg(3)), KeyPath(root: value1, keyPath: \.a))"#
            ),
            (
                "b.list[i] == $0.a",
                #"Equal(lhs: SwiftData._PredicateParts.element(in: b.list, at: i) { $0[$1] }, rhs: KeyPath(root: value1, keyPath: \.a))"#
            ),
            ("(b...).contains($0.a)", #"contains(Arg((b...)), KeyPath(root: value1, keyPath: \.a))"#),
            (
                "(0..<$0.b).contains(x)",
                #"contains(SwiftData._PredicateParts.range(lower: Arg(0), upper: KeyPath(root: value1, keyPath: \.b)), Arg(x))"#
            ),
            ("$0.a == .mid", #"Equal(lhs: KeyPath(root: value1, keyPath: \.a), rhs: Arg(.mid))"#),
            (
                "$0.a > Date.now.addingTimeInterval(-3)",
                #"Comparison(lhs: KeyPath(root: value1, keyPath: \.a), rhs: Arg(Date.now.addingTimeInterval(-3)), op: .greaterThan)"#
            ),
            ("$0.a ? b : c", #"Conditional(KeyPath(root: value1, keyPath: \.a), Arg(b), Arg(c))"#),
            (
                "if let x = $0.a { x } else { false }",
                #"NilCoalesce(lhs: flatMap(KeyPath(root: value1, keyPath: \.a)) { value2 in value2 }, rhs: Arg(false))"#
            ),
            (
                "if $0.a { b } else if $0.c { d } else { e }",
                #"Conditional(KeyPath(root: value1, keyPath: \.a), Arg(b), Conditional(KeyPath(root: value1, keyPath: \.c), Arg(d), Arg(e)))"#
            ),
            (
                "$0.a.contains { $0.b == 2 }",
                "contains(KeyPath(root: value1, keyPath: \\.a)) { value2 in\nreturn Equal(lhs: KeyPath(root: value2, keyPath: \\.b), rhs: Arg(2))\n}"
            ),
            (
                "$0.a?.contains($0.b)",
                #"flatMap(KeyPath(root: value1, keyPath: \.a)) { value2 in contains(value2, KeyPath(root: value1, keyPath: \.b)) }"#
            ),
            (
                "-$0.a * 2 + 1",
                #"SwiftData._PredicateParts.sum(lhs: SwiftData._PredicateParts.product(lhs: SwiftData._PredicateParts.negative(KeyPath(root: value1, keyPath: \.a)), rhs: Arg(2)), rhs: Arg(1))"#
            ),
            ("_ in true", "Arg(true)"),
        ])
    func parts(source: String, expected: String) throws {
        #expect(try expression(source) == expected)
    }

    @Test("The operands of && are constants of their own, and generic arguments stay")
    func operands() throws {
        let source = try answer("#Predicate<Trip>({ (trip: Trip) in trip.name == \"x\" && trip.code > limit })").source
        #expect(
            source == """
                Foundation.Predicate<Trip>({ _$value1 in
                let _$part2 = Foundation.PredicateExpressions.build_Equal(lhs: \
                Foundation.PredicateExpressions.build_KeyPath(root: _$value1, keyPath: \\.name), rhs: \
                Foundation.PredicateExpressions.build_Arg("x"))
                let _$part3 = Foundation.PredicateExpressions.build_Comparison(lhs: \
                Foundation.PredicateExpressions.build_KeyPath(root: _$value1, keyPath: \\.code), rhs: \
                Foundation.PredicateExpressions.build_Arg(limit), op: .greaterThan)
                return Foundation.PredicateExpressions.build_Conjunction(lhs: _$part2, rhs: _$part3)
                })
                """)
    }

    @Test("A predicate of several models has a variable for each")
    func severalModels() throws {
        for closure in [
            "{ $0.a == $1.b }", "{ one, other in one.a == other.b }", "{ (one: A, other: B) in one.a == other.b }",
        ] {
            let source = try answer("#Predicate \(closure)").source
            #expect(
                source == """
                    Foundation.Predicate({ _$value1, _$value2 in
                    return Foundation.PredicateExpressions.build_Equal(lhs: \
                    Foundation.PredicateExpressions.build_KeyPath(root: _$value1, keyPath: \\.a), rhs: \
                    Foundation.PredicateExpressions.build_KeyPath(root: _$value2, keyPath: \\.b))
                    })
                    """)
        }
    }

    @Test("A list of captures stays")
    func captures() throws {
        let source = try answer("#Predicate { [name, c = codes] trip in c.contains(trip.a) }").source
        #expect(source.hasPrefix("Foundation.Predicate({ [name, c = codes] _$value1 in\nreturn "))
        #expect(source.contains("build_contains(Foundation.PredicateExpressions.build_Arg(c), "))
    }

    @Test("An expression is made like a predicate")
    func expressions() throws {
        let source = try answer("#Expression<Trip, Int> { $0.a }", macro: "ModelExpressionMacro").source
        #expect(source.hasPrefix("Foundation.Expression<Trip, Int>({ _$value1 in"))
    }

    @Test(
        "What no predicate can have is an error at its place",
        arguments: [
            (
                "{\n    $0.name.uppercased() == \"X\"\n}",
                "4:13: error: 'uppercased' is not supported in a predicate: give the model a computed property with its value"
            ),
            (
                "{ let x = 1\n    return $0.a == x }",
                "3:26: error: a predicate is one expression, and another one begins here"
            ),
            ("{ $0.a\n    $0.b }", "4:5: error: a predicate is one expression, and another one begins here"),
            ("{ if $0.a { true } }", "3:39: error: a predicate needs 'else' here"),
            (
                "{ [$0.a, 1].contains(2) }",
                "3:22: error: a list with values of the variable is not supported in a predicate"
            ),
            ("{ $0.a == }", "3:30: error: a predicate needs an operand here"),
            ("{ $0.a ? 1 }", "3:31: error: a predicate needs ':' here"),
            ("(body)", "3:21: error: a predicate needs a closure here"),
        ])
    func diagnostics(closure: String, expected: String) throws {
        let answer = try answer("#Predicate \(closure)")
        #expect(answer.diagnostics == [expected])
        #expect(answer.source.isEmpty)
    }

    @Test("Text that is no predicate, and very deep or long predicates, end with an expansion or an error")
    func strangeText() throws {
        let many = 5_000
        for source in [
            "", "#", "#Predicate", "#Predicate {", "#Predicate { }", "#Predicate { $0.", "#Predicate { ? : }",
            "#Predicate<T { $0 }", "#Predicate { $0 as }", "#Predicate { if let }", "#Predicate { $0[ }",
            "#Predicate { " + String(repeating: "(", count: many) + "$0" + String(repeating: ")", count: many) + " }",
            "#Predicate { " + String(repeating: "!", count: many) + "$0 }",
            "#Predicate { $0" + String(repeating: ".a", count: many) + " }",
            "#Predicate { $0" + String(repeating: "?.a", count: many) + " }",
            "#Predicate { $0.a" + String(repeating: " && $0.a", count: many) + " }",
            "#Predicate { $0.a" + String(repeating: " + $0.a", count: many) + " }",
            "#Predicate { $0.a" + String(repeating: " ?? $0.a", count: many) + " }",
            "#Predicate { $0.a" + String(repeating: " ? $0.a : $0.a", count: many) + " }",
        ] {
            let answer = try answer(source)
            #expect(answer.source.isEmpty == !answer.diagnostics.isEmpty, "\(source.prefix(40))")
        }
    }
}
