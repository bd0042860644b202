/// The key paths of an entity, by what they lead to.
struct QuestionScope {
    enum Kind: Hashable, Sendable {
        case text, whole, real, decimal, truth, date
        case token(ModelValue.Token)

        var isNumber: Bool { [.whole, .real, .decimal].contains(self) }
    }

    struct Path {
        var keys: [String]
        var kind: Kind

        init(_ path: String, _ kind: Kind) {
            keys = path.split(separator: ".").map(String.init)
            self.kind = kind
        }

        var text: String { keys.joined(separator: ".") }
        /// Whether it is an attribute of the entity itself.
        var isOwn: Bool { keys.count == 1 }
    }

    struct Relationship {
        var keys: [String]
        var entity: String
        var isOrdered = false

        init(_ path: String, _ entity: String, isOrdered: Bool = false) {
            keys = path.split(separator: ".").map(String.init)
            self.entity = entity
            self.isOrdered = isOrdered
        }

        var text: String { keys.joined(separator: ".") }
    }

    var entity: String
    /// Paths to one value, and to the values of many objects.
    var single: [Path]
    var many: [Path]
    var toOnes: [Relationship]
    var toManys: [Relationship]

    static func of(_ entity: String) -> QuestionScope { all.first { $0.entity == entity } ?? all[0] }

    static let all = [
        QuestionScope(
            entity: "Book",
            single: [
                Path("title", .text), Path("note", .text), Path("pages", .whole), Path("copies", .whole),
                Path("rating", .real), Path("price", .decimal), Path("published", .date),
                Path("identifier", .token(.uuid)), Path("cover", .token(.data)), Path("link", .token(.uri)),
                Path("size.width", .whole), Path("size.unit", .text), Path("author.name", .text),
                Path("author.active", .truth), Path("author.joined", .date), Path("author.profile.text", .text),
                Path("shelf.name", .text), Path("genre", .text),
            ],
            many: [
                Path("tags.name", .text), Path("author.books.pages", .whole), Path("author.books.title", .text),
                Path("shelf.items.published", .date), Path("tags.books.copies", .whole),
                Path("author.books.price", .decimal), Path("shelf.items.identifier", .token(.uuid)),
                Path("author.books.size.width", .whole),
            ],
            toOnes: [Relationship("author", "Author"), Relationship("shelf", "Shelf")],
            toManys: [
                Relationship("tags", "Tag"), Relationship("author.books", "Book"),
                Relationship("shelf.items", "Book", isOrdered: true),
            ]),
        QuestionScope(
            entity: "Author",
            single: [
                Path("name", .text), Path("active", .truth), Path("joined", .date), Path("profile.text", .text),
            ],
            many: [
                Path("books.title", .text), Path("books.pages", .whole), Path("books.tags.name", .text),
                Path("books.shelf.name", .text), Path("books.published", .date), Path("books.rating", .real),
            ],
            toOnes: [Relationship("profile", "Profile")], toManys: [Relationship("books", "Book")]),
        QuestionScope(
            entity: "Tag", single: [Path("name", .text)],
            many: [Path("books.title", .text), Path("books.author.name", .text), Path("books.rating", .real)],
            toOnes: [], toManys: [Relationship("books", "Book")]),
        QuestionScope(
            entity: "Shelf", single: [Path("name", .text)],
            many: [Path("items.title", .text), Path("items.pages", .whole)],
            toOnes: [], toManys: [Relationship("items", "Book", isOrdered: true)]),
        QuestionScope(
            entity: "Novel",
            single: [
                Path("title", .text), Path("genre", .text), Path("pages", .whole), Path("author.name", .text),
                Path("price", .decimal),
            ],
            many: [Path("tags.name", .text)], toOnes: [Relationship("author", "Author")],
            toManys: [Relationship("tags", "Tag")]),
        QuestionScope(
            entity: "Profile", single: [Path("text", .text), Path("author.name", .text)],
            many: [Path("author.books.title", .text)], toOnes: [Relationship("author", "Author")],
            toManys: [Relationship("author.books", "Book")]),
    ]
}
