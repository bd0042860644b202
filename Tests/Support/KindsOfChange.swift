import CoreData

/// Changes of a model that can be inferred, one of each kind, in the words of `ModelText`.
public enum KindsOfChange {
    public struct Kind: Sendable, CustomStringConvertible {
        public let name: String
        public let older: String
        public let newer: String

        public var description: String { name }
    }

    private static let base = """
        entity Book
          title string
          pages int32
          price double
          sold date
          lent bool
          code uuid
          cost decimal
          cover data
          author one Person.books
          tags many Tag.books
          parts ordered Part.book
        entity Part
          name string
          book one Book.parts
        entity Person
          name string
          books many Book.author
        entity Writer : Person
          penName string
        entity Tag
          word string
          books many Book.tags
        """

    /// A change of the common model by replacing lines.
    private static func change(_ name: String, _ replacements: (String, String)...) -> Kind {
        let newer = replacements.reduce(base) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
        return Kind(name: name, older: base, newer: newer)
    }

    public static let all: [Kind] = [
        change("an optional attribute", ("  pages int32", "  pages int32\n  note string")),
        change("a mandatory text with a default", ("  pages int32", "  pages int32\n  note string! = it's")),
        change("a mandatory number with a default", ("  pages int32", "  pages int32\n  copies int16! = 3")),
        change("a mandatory truth value with a default", ("  pages int32", "  pages int32\n  old bool! = 1")),
        change("a mandatory decimal with a default", ("  pages int32", "  pages int32\n  tax decimal! = 7")),
        change("a mandatory double with a default", ("  pages int32", "  pages int32\n  weight double! = 0.1")),
        change("an attribute removed", ("  pages int32\n", "")),
        change("an attribute renamed", ("  pages int32", "  size int32 was pages")),
        change(
            "two names exchanged", ("  pages int32", "  price int32 was pages"),
            ("  price double", "  pages double was price")),
        change("made mandatory with a default", ("  title string", "  title string! = untitled")),
        Kind(
            name: "made optional", older: base.replacingOccurrences(of: "  word string", with: "  word string! = none"),
            newer: base),
        change("a larger number", ("  pages int32", "  pages int64")),
        change("a smaller number", ("  pages int32", "  pages int16")),
        change("a whole number to a double", ("  pages int32", "  pages double")),
        change("a double to a float", ("  price double", "  price float")),
        change("a double to a decimal", ("  price double", "  price decimal")),
        change("a truth value to a number", ("  lent bool", "  lent int16")),
        change("renamed with another type", ("  pages int32", "  size int64 was pages")),
        change("an index", ("  title string", "  title string\n  shelf string index")),
        change("a uniqueness constraint", ("  books many Book.tags", "  books many Book.tags\n  unique word")),
        change("external storage", ("  cover data", "  cover data external")),
        change("a new entity", ("entity Tag", "entity Shelf\n  name string\nentity Tag")),
        change("a new entity before all", ("entity Book", "entity Atlas\n  name string\nentity Book")),
        change("a new subentity", ("entity Tag", "entity Editor : Person\n  desk int16\nentity Tag")),
        change(
            "an entity removed", ("  parts ordered Part.book\n", ""),
            ("entity Part\n  name string\n  book one Book.parts\n", "")),
        change("a subentity removed", ("entity Writer : Person\n  penName string\n", "")),
        change("an entity renamed", ("entity Tag", "entity Label was Tag"), ("many Tag.books", "many Label.books")),
        change(
            "a parent renamed", ("entity Person", "entity Human was Person"), (": Person", ": Human"),
            ("one Person.books", "one Human.books")),
        change("a subentity renamed", ("entity Writer : Person", "entity Author : Person was Writer")),
        change("a new parent", ("entity Tag", "entity Thing\n  made date\nentity Tag : Thing")),
        change(
            "an attribute moved to the parent", ("  penName string\n", ""),
            ("entity Person\n", "entity Person\n  penName string\n")),
        change("a new to-one relationship", ("entity Part\n", "entity Part\n  owner one Person\n")),
        change(
            "a new one-to-many relationship", ("entity Part\n", "entity Part\n  owner one Person.parts\n"),
            ("entity Person\n", "entity Person\n  parts many Part.owner\n")),
        change(
            "a new many-to-many relationship", ("entity Part\n", "entity Part\n  people many Person.parts\n"),
            ("entity Person\n", "entity Person\n  parts many Part.people\n")),
        change(
            "a to-one relationship removed", ("  author one Person.books\n", ""), ("  books many Book.author\n", "")),
        change("a many-to-many relationship removed", ("  tags many Tag.books\n", ""), ("  books many Book.tags", "")),
        change(
            "a to-one relationship renamed", ("  author one Person.books", "  writer one Person.books was author"),
            ("Book.author", "Book.writer")),
        change(
            "a many-to-many relationship renamed", ("  tags many Tag.books", "  labels many Tag.books was tags"),
            ("Book.tags", "Book.labels")),
        change("to-one becomes to-many", ("  author one Person.books", "  author many Person.books")),
        change("a list loses its order", ("  parts ordered Part.book", "  parts many Part.book")),
        change("a set gets an order", ("  books many Book.author", "  books ordered Book.author")),
        change("pairs get an order", ("  tags many Tag.books", "  tags ordered Tag.books")),
        change(
            "a link to a subentity", ("  author one Person.books", "  author one Person.books\n  editor one Writer")),
        change(
            "many changes at once", ("  pages int32", "  size double was pages\n  copies int16! = 3"),
            ("  title string", "  name string! = none was title index"), ("entity Tag", "entity Label was Tag"),
            ("many Tag.books", "many Label.books"), ("  price double\n", "")),
    ]

    /// Fills a store of the common model with objects.
    public static func fill(_ context: NSManagedObjectContext) throws {
        let people = [
            context.make("Person", ["name": "Anna"]), context.make("Writer", ["name": "Bo", "penName": "B. O’N."]),
            context.make("Writer", ["name": "Cy"]),
        ]
        let tags = ["red", "blue", "green"].map { context.make("Tag", ["word": $0]) }
        for number in 0..<5 {
            let book = context.make("Book", ["pages": number * 100, "lent": number % 2 == 0])
            if number != 3 { book.setValue("Book \(number)", forKey: "title") }
            book.setValue(Double(number) * 1.5, forKey: "price")
            book.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 1e6 + 0.25), forKey: "sold")
            book.setValue(UUID(), forKey: "code")
            book.setValue(NSDecimalNumber(string: "\(number).25"), forKey: "cost")
            book.setValue(Data([1, 2, UInt8(number)]), forKey: "cover")
            if number < 4 { book.setValue(people[number % 3], forKey: "author") }
            book.setValue(NSSet(array: Array(tags.prefix(number % 4))), forKey: "tags")
            book.setValue(
                NSOrderedSet(array: (0..<number % 3).map { context.make("Part", ["name": "\(number).\($0)"]) }),
                forKey: "parts")
        }
        try context.save()
    }
}
