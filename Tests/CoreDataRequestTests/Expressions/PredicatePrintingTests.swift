import Testing

@testable import CoreData

@Suite("Printing predicates")
struct PredicatePrintingTests {
    @Test(
        "A format string prints as Foundation prints it",
        arguments: [
            ("name = 'x' and age > 3", #"name == "x" AND age > 3"#),
            ("name == 'Foo' AND (age < 13 || age > 18)", #"name == "Foo" AND (age < 13 OR age > 18)"#),
            ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
            ("(a == 1 AND b == 2) AND c == 3", "a == 1 AND b == 2 AND c == 3"),
            ("(a == 1 OR b == 2) OR c == 3 OR d == 4", "a == 1 OR b == 2 OR c == 3 OR d == 4"),
            (
                "(NOT a == 1 AND NOT (b == 2 OR c == 3)) AND d == 4",
                "(NOT a == 1) AND (NOT (b == 2 OR c == 3)) AND d == 4"
            ),
            ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
            ("NOT (a == 1)", "NOT a == 1"),
            ("!(a == 1 OR b == 2)", "NOT (a == 1 OR b == 2)"),
            ("a == 1 AND NOT b == 2", "a == 1 AND (NOT b == 2)"),
            ("isReal == true", "isReal == 1"),
            ("isReal == NO", "isReal == 0"),
            ("name == nil", "name == nil"),
            ("name == NULL", "name == nil"),
            ("name CONTAINS[cd] \"Alice\"", #"name CONTAINS[cd] "Alice""#),
            ("name beginswith[c] 'A'", #"name BEGINSWITH[c] "A""#),
            ("any topTags.name in {'Tag1', 'Tag2'}", #"ANY topTags.name IN {"Tag1", "Tag2"}"#),
            ("ALL age == 21", "ALL age == 21"),
            ("NONE fleet.name == 'x'", #"NOT ANY fleet.name == "x""#),
            ("SOME a.b <> 2", "ANY a.b != 2"),
            ("extraInt BETWEEN {1, 3}", "extraInt BETWEEN {1, 3}"),
            (
                "SUBQUERY(teams, $t, $t.key == 'x' AND $t.number > 3).@count > 0",
                #"SUBQUERY(teams, $t, $t.key == "x" AND $t.number > 3).@count > 0"#
            ),
            ("items.@avg.price >= 2.50", "items.@avg.price >= 2.5"),
            ("rel.@count != 0x10", "rel.@count != 16"),
            ("a + b * 2 - (c - d) > (a + b) * 2", "a + b * 2 - (c - d) > (a + b) * 2"),
            ("a ** 2 == b / 3", "a ** 2 == b / 3"),
            ("SELF.name == 'x'", #"name == "x""#),
            ("SELF == $OBJECT", "SELF == $OBJECT"),
            ("SELF IN {1, -2, 3.5}", "SELF IN {1, -2, 3.5}"),
            ("#size == 3 AND a.#first == 1", "#size == 3 AND a.#first == 1"),
            ("date > CAST(600000000, 'NSDate')", #"date > CAST(600000000.000000, "NSDate")"#),
            ("now() > date", "now() > date"),
            ("canonical:(name) == 'x'", #"canonical:(name) == "x""#),
            ("lowercase(name) == 'x'", #"lowercase:(name) == "x""#),
            ("(flags & 3) == 3", "bitwiseAnd:with:(flags, 3) == 3"),
            ("list[FIRST] == list[2] AND list[size] == 3", "list[FIRST] == list[2] AND list[SIZE] == 3"),
            ("TERNARY(a == 1, b, c) == 2", "TERNARY(a == 1, b, c) == 2"),
            ("FUNCTION(name, 'uppercaseString') == 'X'", #"FUNCTION(name, "uppercaseString") == "X""#),
            ("CAST(a, 'NSString') == '1'", #"CAST(a, "NSString") == "1""#),
            (#"name == 'it\'s "quoted" \\ \n'"#, #"name == "it's \"quoted\" \\ \n""#),
            ("TRUEPREDICATE", "TRUEPREDICATE"),
            ("FALSEPREDICATE OR a == 1", "FALSEPREDICATE OR a == 1"),
            ("größe > 1 AND _x.naïve == 2", "größe > 1 AND _x.naïve == 2"),
            ("a UNION b == {1}", "a UNION b == {1}"),
            ("x NOT IN {1}", "NOT x IN {1}"),
            ("deleted == <null>", "deleted == <null>"),
        ])
    func prints(format: String, expected: String) throws {
        let predicate = try NSPredicate.parse(format: format)
        #expect(predicate.printed == expected)
        #expect(predicate.description == expected)
        #expect(try NSPredicate.parse(format: predicate.printed) == predicate)
    }

    @Test(
        "A compound inside a compound is in parentheses, even of a single part; a compound of a single part is that part"
    )
    func compounds() throws {
        let (a, b) = (try NSPredicate.parse(format: "a == 1"), try NSPredicate.parse(format: "b == 2"))
        let (onlyA, onlyB) = (
            NSCompoundPredicate(andPredicateWithSubpredicates: [a]),
            NSCompoundPredicate(orPredicateWithSubpredicates: [b])
        )
        #expect(onlyA.printed == "a == 1")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: onlyA).printed == "NOT (a == 1)")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: a).printed == "NOT a == 1")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [onlyA, onlyB])
        #expect(both.printed == "(a == 1) AND (b == 2)")
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [both]).printed == "(a == 1) AND (b == 2)")
    }

    @Test("Arguments take the place of the placeholders")
    func arguments() {
        let date = Date(timeIntervalSinceReferenceDate: 5e8)
        let predicate = NSPredicate(
            format: "%K == %@ AND %K.@count > %d AND x IN %@ AND d < %@ AND f == %f AND n == %@ AND u == %ld",
            "a.b", "text", "rel", 3, [1, 2], date, 1.5, nil, UInt64.max)
        #expect(
            predicate.printed
                == #"a.b == "text" AND rel.@count > 3 AND x IN {1, 2} AND d < CAST(500000000.000000, "NSDate") "#
                + "AND f == 1.5 AND n == nil AND u == 18446744073709551615")
    }
}
