import CoreData
import Foundation
import MacCheckKit

extension StorePlan {
    /// The stores of the kit.
    static var all: [StorePlan] {
        values + [
            family("family"), links, pairs, selfLinks, history, purged, places, rows,
            diary("diary"), diary("diary-for-stages"),
            diary("diary-migrated").with { $0.finish = .migrate(to: "Diary 2", mapping: nil) },
            diary("diary-mapped").with { $0.finish = .migrate(to: "Diary 3", mapping: "Models/DiaryToDiary3.cdm") },
            family("log-left").with { $0.finish = .leaveLog },
            family("family-xml").asXML,
            diary("diary-xml").asXML.with(diaryFactsInXML),
            gaps,
        ]
    }

    /// Stores of single kinds of attributes.
    private static var values: [StorePlan] {
        [
            StorePlan("kinds", "Kinds", saves: kinds, changes: kindChanges)
                .with(kindsFacts, after: kindsFactsAfter),
            // XML has no control characters.
            StorePlan("kinds-xml", "Kinds", saves: kinds, changes: kindChanges).asXML.with {
                $0.saves[2][0].values["text"] = "line\nline\tand"
            },
            StorePlan("empty", "Kinds", changes: [[.insert("Sample", "@a", ["text": "the first"])]]),
            StorePlan(
                "files", "Files",
                saves: [
                    [.insert("Attachment", "@small", ["name": "small", "bytes": "bytes:100:1"])],
                    [.insert("Attachment", "@large", ["name": "large", "bytes": "bytes:400000:2"])],
                    [.insert("Attachment", "@text", ["name": "text", "text": "text:300000:97"])],
                    [.insert("Attachment", "@edge", ["name": "edge", "bytes": "bytes:102400:3"])],
                    [.insert("Attachment", "@empty", ["name": "empty", "bytes": "bytes:0:0"])],
                    [.insert("Attachment", "@nil", ["name": "absent"])],
                ],
                changes: [
                    [.update("Attachment", "p1", ["bytes": "bytes:300000:9"])], [.delete("Attachment", "p2")],
                    [.insert("Attachment", "@b", ["name": "by a Mac", "bytes": "bytes:250000:5"])],
                ]),
            StorePlan(
                "shapes", "Shapes",
                saves: [
                    [.insert("Shape", "@a", ["name": "two", "tags": "round, small"])],
                    [.insert("Shape", "@b", ["name": "none", "tags": ""])],
                    [.insert("Shape", "@c", ["name": "absent"])],
                ],
                changes: [[.update("Shape", "p1", ["tags": "square"])], [.insert("Shape", "@d", ["tags": "new"])]]),
            StorePlan(
                "spots", "Spots",
                saves: [
                    [
                        .insert(
                            "Spot", "@a",
                            [
                                "name": "home", "position.latitude": "64.1", "position.longitude": "-21.9",
                                "position.label": "harbour",
                            ])
                    ],
                    [.insert("Spot", "@b", ["name": "nowhere"])],
                ],
                changes: [
                    [.update("Spot", "p1", ["position.latitude": "65.0", "position.longitude": "-18.0"])],
                    [.insert("Spot", "@c", ["name": "new", "position.label": "hill"])],
                ]
            ).with(spotsFacts, after: spotsFactsAfter),
            StorePlan(
                "accounts", "Accounts",
                saves: [
                    [.insert("Account", "@a", ["name": "\u{c9}cole", "entries": "{@x, @y}"])]
                        + [.insert("Entry", "@x", ["amount": "5"]), .insert("Entry", "@y", ["amount": "7"])],
                    [.insert("Account", "@b", ["name": "empty"])],
                ],
                changes: [
                    [.insert("Entry", "@z", ["amount": "30", "account": "Account/p1"])],
                    [.update("Account", "p2", ["name": "\u{c5}ngstr\u{f6}m"])],
                ]
            ).with(accountsFacts, after: accountsFactsAfter)
                .with { $0.row = "`NSDerivedAttributeDescription` of a SQLite store is kept by triggers in the file" },
            StorePlan(
                "shelves", "Shelves",
                saves: [
                    [.insert("Shelf", "@a", ["name": "oak", "books": "{@x, @y}"])]
                        + [.insert("Book", "@x", ["title": "one"]), .insert("Book", "@y", ["title": "two"])],
                    [.insert("Shelf", "@b", ["name": "bare"])],
                ],
                changes: [
                    [.insert("Book", "@z", ["title": "three", "shelf": "Shelf/p1"])],
                    [.update("Book", "p1", ["shelf": "Shelf/p2"])],
                ]
            ).with(shelvesFacts, after: shelvesFactsAfter).with { $0.hasTriggers = true },
        ]
    }

    private static let kinds: [[Change]] = [
        [
            .insert(
                "Sample", "@greatest",
                [
                    "label": "greatest", "int16": "32767", "int32": "2147483647", "int64": "9223372036854775807",
                    "double": "1.7976931348623157e308", "float": "3.4028235e38", "flag": "true",
                    "decimal": "99999999999999999999999999999999999999", "date": "63113904000.0",
                    "text":
                        "\u{10FFFD} e\u{301} \u{e9} \u{1F468}\u{200D}\u{1F469} 'quoted' \"twice\" \\ %",
                    "uuid": "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "address": "https://example.org/a%20b?c=d#e",
                    "bytes": "bytes:256:0",
                ])
        ],
        [
            .insert(
                "Sample", "@least",
                [
                    "label": "least", "int16": "-32768", "int32": "-2147483648", "int64": "-9223372036854775808",
                    "double": "-1.7976931348623157e308", "float": "-3.4028235e38", "flag": "false",
                    "decimal": "-0.00000000000000000000000000000000000001", "date": "-63114076800.0", "text": "",
                    "uuid": "00000000-0000-0000-0000-000000000000", "address": "file:///", "bytes": "bytes:0:0",
                ])
        ],
        [
            .insert(
                "Sample", "@small",
                [
                    "label": "small", "double": "5e-324", "float": "1e-45", "decimal": "0.1", "date": "0.001",
                    "text": "line\nline\tand\u{1}", "int64": "9007199254740993",
                ])
        ],
        [
            .insert(
                "Sample", "@nil",
                [
                    "label": "absent", "int16": "nil", "int32": "nil", "int64": "nil", "double": "nil", "float": "nil",
                    "decimal": "nil",
                ])
        ],
        [.insert("Sample", "@defaults")],
    ]

    private static let kindChanges: [[Change]] = [
        [.update("Sample", "p1", ["int64": "-1", "decimal": "12345678901234567890.123456789", "text": "changed"])],
        [.insert("Sample", "@new", ["label": "by a Mac", "date": "700000000.25", "bytes": "bytes:7:7"])],
        [.delete("Sample", "p3")],
    ]

    private static func family(_ name: String) -> StorePlan {
        StorePlan(
            name, "Family",
            saves: [
                [.insert("Person", "@ann", ["name": "Ann", "email": "ann@example.org"])],
                [.insert("Dog", "@rex", ["name": "Rex", "breed": "collie", "keeper": "Person/p1"])],
                [.insert("Puppy", "@pip", ["name": "Pip", "born": "600000000.0", "keeper": "Person/p1"])],
                [.insert("Animal", "@hen", ["name": "Hen", "legs": "2"])], [.insert("Person", "@bob", ["name": "Bob"])],
            ],
            changes: [
                [.insert("Puppy", "@new", ["name": "New", "breed": "mixed", "keeper": "Person/p5"])],
                [.update("Dog", "p2", ["keeper": "nil", "legs": "3"])], [.delete("Animal", "p4")],
            ]
        ).with(familyFacts, after: familyFactsAfter)
    }

    private static let links = StorePlan(
        "links", "Links",
        saves: [
            [.insert("Author", "@a", ["name": "Melville"])], [.insert("Author", "@b", ["name": "Austen"])],
            [.insert("Book", "@a", ["title": "Moby-Dick", "year": "1851", "author": "Author/p1"])],
            [.insert("Book", "@b", ["title": "Emma", "year": "1815", "author": "Author/p2"])],
            [.insert("Book", "@c", ["title": "Omoo", "year": "1847", "author": "Author/p1"])],
            (1...5).map { .insert("Chapter", "@\($0)", ["title": "Chapter \($0)"]) }
                + [.update("Book", "p1", ["chapters": "[@3, @1, @5, @2, @4]"])],
            [.update("Book", "p1", ["chapters": "[Chapter/p5, Chapter/p2, Chapter/p3, Chapter/p1, Chapter/p4]"])],
        ],
        changes: [
            [.update("Book", "p1", ["chapters": "[Chapter/p1, Chapter/p4, Chapter/p5, Chapter/p2, Chapter/p3]"])],
            [.delete("Chapter", "p4")],
            [.insert("Chapter", "@new", ["title": "by a Mac", "book": "Book/p1"])],
            [.update("Book", "p3", ["author": "Author/p2"])],
        ]
    ).with(linksFacts, after: linksFactsAfter)

    private static let pairs = StorePlan(
        "pairs", "Links",
        saves: [
            (1...4).map { .insert("Book", "@\($0)", ["title": "Book \($0)"]) },
            [.insert("Tag", "@a", ["name": "sea", "books": "[Book/p3, Book/p1]"])],
            [.insert("Tag", "@b", ["name": "short", "books": "[Book/p1, Book/p4, Book/p2]"])],
            [.insert("Tag", "@c", ["name": "none"])],
            [.insert("Shelf", "@s", ["name": "left", "books": "{Book/p1, Book/p2}", "best": "Book/p2"])],
        ],
        changes: [
            [.update("Tag", "p1", ["books": "[Book/p1, Book/p2, Book/p3]"])],
            [.update("Tag", "p2", ["books": "[Book/p2]"])],
            [.insert("Tag", "@new", ["name": "by a Mac", "books": "[Book/p4, Book/p1]"])],
        ]
    ).with(pairsFacts, after: pairsFactsAfter)

    private static let selfLinks = StorePlan(
        "self-links", "Links",
        saves: [
            (1...4).map { .insert("Author", "@\($0)", ["name": "Author \($0)"]) },
            [.update("Author", "p1", ["friends": "{Author/p2, Author/p3}", "knows": "{Author/p4, Author/p1}"])],
            [.update("Author", "p4", ["friends": "{Author/p4}", "knows": "{Author/p2}"])],
        ],
        changes: [
            [.update("Author", "p2", ["friends": "{Author/p4}", "knownBy": "{Author/p3}"])], [.delete("Author", "p1")],
        ]
    ).with(selfLinksFacts, after: selfLinksFactsAfter)

    private static let historySaves: [[Change]] = [
        [.insert("Author", "@a", ["name": "Melville"])],
        [.insert("Book", "@a", ["title": "Moby-Dick", "author": "Author/p1"])],
        [.insert("Book", "@b", ["title": "Omoo"])], [.update("Book", "p2", ["year": "1847"])],
        [.update("Author", "p1", ["name": "Herman Melville"])], [.delete("Book", "p2")],
    ]

    private static let history = StorePlan(
        "history", "Links", saves: historySaves,
        changes: [
            [.insert("Book", "@new", ["title": "by a Mac"])], [.update("Book", "p1", ["year": "1851"])],
            [.delete("Book", "p1")],
        ]
    ).with("Author/p1.books {Book/p1}", after: "Author/p1.books {}").with {
        $0.hasHistory = true
        ($0.history, $0.historyAfter) = (lines(historyLines), lines(historyLinesAfter))
        $0.row = "Persistent history is not documented to record both sides of a relationship"
    }

    private static let purged = StorePlan("history-purged", "Links", saves: historySaves).with {
        $0.hasHistory = true
        $0.facts = facts("Author/p1.books {Book/p1}")
        $0.history = lines(purgedLines)
        $0.finish = .purgeHistory
    }

    private static let places = StorePlan(
        "places", "Places",
        saves: [
            [.insert("Place", "@a", ["code": "IS-1", "country": "Iceland", "name": "Akureyri", "height": "20.0"])],
            [
                .insert(
                    "Place", "@b", ["code": "CH-1", "country": "Switzerland", "name": "Zermatt", "height": "1608.0"])
            ],
            [.insert("Place", "@c", ["code": "nil", "country": "nil", "name": "nowhere", "height": "nil"])],
            [.insert("Place", "@d", ["code": "CH-2", "country": "Switzerland", "name": "Arosa", "height": "1775.5"])],
        ],
        changes: [
            [.insert("Place", "@new", ["code": "NO-1", "country": "Norway", "name": "R\u{f8}ros", "height": "630.0"])],
            [.update("Place", "p1", ["code": "IS-2"])], [.delete("Place", "p2")],
        ])

    /// 100,000 rows in 100 bands, in saves of 10,000.
    private static let rows = StorePlan(
        "rows", "Rows",
        saves: [(0..<100).map { .insert("Band", "@\($0)", ["name": "Band \($0)"]) }]
            + (0..<10).map { save in
                (0..<10_000).map { row in
                    let number = save * 10_000 + row
                    return .insert(
                        "Row", "@\(number)",
                        [
                            "number": "\(number)", "text": "row \(number * 7919 % 100_003)",
                            "weight": "\(Double(number) / 8)", "band": "Band/p\(number % 100 + 1)",
                        ])
                }
            },
        changes: [
            [.insert("Row", "@new", ["number": "100000", "text": "by a Mac", "band": "Band/p1"])],
            [.update("Row", "p50000", ["weight": "-1.0"])], [.delete("Row", "p1")],
        ]
    ).with {
        $0.facts = rowsFacts(0..<100_000)
        // The first row has gone, and the new one belongs to its band.
        $0.factsAfter = rowsFacts(1..<100_001)
    }

    private static func diary(_ name: String) -> StorePlan {
        StorePlan(
            name, "Diary",
            saves: [
                [.insert("Writer", "@a", ["name": "Ann"])],
                [.insert("Entry", "@a", ["text": "Rain", "mood": "2", "writer": "Writer/p1"])],
                [.insert("Entry", "@b", ["text": "Sun", "mood": "5", "writer": "Writer/p1"])],
                [.insert("Entry", "@c", ["text": "Nobody's words", "mood": "nil"])],
            ]
        ).with(diaryFacts)
    }

    /// Deletions left gaps in the keys, and the greatest key is not in use.
    private static let gaps = StorePlan(
        "gaps", "Links",
        saves: [
            (1...6).map { .insert("Tag", "@\($0)", ["name": "Tag \($0)"]) },
            [.delete("Tag", "p1"), .delete("Tag", "p4"), .delete("Tag", "p6")],
        ],
        changes: [[.insert("Tag", "@new", ["name": "by a Mac"])]])
}
