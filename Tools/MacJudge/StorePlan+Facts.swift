import CoreData

// What the stores hold beyond the values that their saves describe, written by hand.
extension StorePlan {
    /// The values of new objects, by model, entity and attribute.
    static let defaults = [
        "Accounts": ["Entry.amount": "0"],
        "Diary": ["Entry.mood": "3"],
        "Family": ["Being.name": "'unnamed'", "Animal.legs": "4"],
        "Kinds": [
            "Sample.decimal": "0", "Sample.double": "0.0", "Sample.float": "0.0", "Sample.int16": "0",
            "Sample.int32": "0", "Sample.int64": "0", "Sample.label": "'none'",
        ],
        "Links": ["Book.year": "0"],
        "Places": ["Place.height": "0.0"],
        "Rows": ["Row.number": "0", "Row.weight": "0.0"],
    ]

    /// Facts of a text: in each line an object with a property, and the value.
    static func facts(_ text: String) -> [String: String] {
        var facts: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            facts[parts[0]] = parts[1]
        }
        return facts
    }

    static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    /// A text of facts with the keys of an XML store, in which the first object has the key 102.
    static func raised(_ text: String) -> String {
        text.replacing(/\/p([0-9]+)/) { "/p\((Int($0.1) ?? 0) + 101)" }
    }

    // MARK: Families and links

    static let familyFacts = "Person/p1.animals {Dog/p2, Puppy/p3}"
    static let familyFactsAfter = """
        Person/p1.animals {Puppy/p3}
        Person/p5.animals {Puppy/p6}
        """
    static let linksFacts = """
        Author/p1.books {Book/p1, Book/p3}
        Author/p2.books {Book/p2}
        Chapter/p1.book Book/p1
        Chapter/p2.book Book/p1
        Chapter/p3.book Book/p1
        Chapter/p4.book Book/p1
        Chapter/p5.book Book/p1
        """
    static let linksFactsAfter = """
        Author/p1.books {Book/p1}
        Author/p2.books {Book/p2, Book/p3}
        Book/p1.chapters [Chapter/p1, Chapter/p5, Chapter/p2, Chapter/p3, Chapter/p6]
        """
    static let pairsFacts = """
        Book/p1.tags {Tag/p1, Tag/p2}
        Book/p2.tags {Tag/p2}
        Book/p3.tags {Tag/p1}
        Book/p4.tags {Tag/p2}
        """
    static let pairsFactsAfter = """
        Book/p1.tags {Tag/p1, Tag/p4}
        Book/p2.tags {Tag/p1, Tag/p2}
        Book/p3.tags {Tag/p1}
        Book/p4.tags {Tag/p4}
        """
    static let selfLinksFacts = """
        Author/p1.knownBy {Author/p1}
        Author/p2.friends {Author/p1}
        Author/p2.knownBy {Author/p4}
        Author/p3.friends {Author/p1}
        Author/p4.knownBy {Author/p1}
        """
    static let selfLinksFactsAfter = """
        Author/p2.friends {Author/p4}
        Author/p2.knownBy {Author/p3}
        Author/p3.friends {}
        Author/p3.knows {Author/p2}
        Author/p4.friends {Author/p2, Author/p4}
        Author/p4.knownBy {}
        Author/p4.knows {}
        """
    static let diaryFacts = "Writer/p1.entries {Entry/p1, Entry/p2}"
    static let diaryFactsInXML = "Writer/p102.entries {Entry/p103, Entry/p104}"

    /// The rows of each band. The texts of sets are in the order of texts.
    static func rowsFacts(_ numbers: Range<Int>) -> [String: String] {
        var members: [Int: [String]] = [:]
        for number in numbers { members[number % 100 + 1, default: []].append("Row/p\(number + 1)") }
        return Dictionary(
            uniqueKeysWithValues: members.map { ("Band/p\($0).rows", "{\($1.sorted().joined(separator: ", "))}") })
    }

    // MARK: Derived and composite values

    static let accountsFacts = """
        Account/p1.entryCount 2
        Account/p1.searchName 'ecole'
        Account/p1.total 12
        Account/p2.entryCount 0
        Account/p2.searchName 'empty'
        Account/p2.total 0
        Entry/p1.account Account/p1
        Entry/p2.account Account/p1
        """
    static let accountsFactsAfter = """
        Account/p1.entries {Entry/p1, Entry/p2, Entry/p3}
        Account/p1.entryCount 3
        Account/p1.total 42
        Account/p2.searchName 'angstrom'
        """
    static let shelvesFacts = """
        Book/p1.shelf Shelf/p1
        Book/p2.shelf Shelf/p1
        Shelf/p1.bookCount 2
        Shelf/p2.bookCount 0
        """
    static let shelvesFactsAfter = """
        Book/p1.shelf Shelf/p2
        Shelf/p1.books {Book/p2, Book/p3}
        Shelf/p1.bookCount 2
        Shelf/p2.books {Book/p1}
        Shelf/p2.bookCount 1
        """
    /// A SQLite file holds a decimal as a number with 17 digits.
    static let kindsFacts = "Sample/p1.decimal 100000000000000000000000000000000000000"
    static let kindsFactsAfter = "Sample/p1.decimal 12345678901234567000"
    static let spotsFacts = """
        Spot/p1.position (label: 'harbour', latitude: 64.1, longitude: -21.9)
        Spot/p2.position (label: nil, latitude: 0.0, longitude: 0.0)
        """
    static let spotsFactsAfter = """
        Spot/p1.position (label: nil, latitude: 65.0, longitude: -18.0)
        Spot/p3.position (label: 'hill', latitude: nil, longitude: nil)
        """

    // MARK: History

    static let historyLines = """
        1: by mac-check
        1: insert Author/p1
        2: by mac-check
        2: insert Book/p1
        2: update Author/p1 books
        3: by mac-check
        3: insert Book/p2
        4: by mac-check
        4: update Book/p2 year
        5: by mac-check
        5: update Author/p1 name
        6: by mac-check
        6: delete Book/p2 title 'Omoo'
        """
    static let historyLinesAfter = """
        7: by mac-check
        7: insert Book/p3
        8: by mac-check
        8: update Book/p1 year
        9: by mac-check
        9: delete Book/p1 title 'Moby-Dick'
        9: update Author/p1 books
        """
    static let purgedLines = """
        1: by mac-check
        1: delete Book/p2 title 'Omoo'
        """
}
