// Graphs of objects.
extension QuestionGenerator {
    static let texts = ["a", "A", "b", "ab", "aB", "ä", "xa", "x"]

    /// Where the labels of each entity begin.
    static let firstLabels = ["Tag": 1, "Shelf": 11, "Author": 21, "Book": 31, "Profile": 51]

    private mutating func text() -> ModelValue { one(in: 4) ? .none : .text(pick(Self.texts)) }
    private mutating func whole() -> ModelValue { one(in: 4) ? .none : .number(pick([0, 1, 2, 3, 10, -7])) }
    private mutating func date() -> ModelValue { one(in: 4) ? .none : .date(pick([0, 1000, 86_400])) }
    private mutating func token(_ kind: ModelValue.Token) -> ModelValue {
        one(in: 4) ? .none : .token(kind, number(below: 3))
    }

    private mutating func insertion(_ entity: String, _ label: Int) -> ModelMove {
        var values: [String: ModelValue] = [:]
        switch entity {
        case "Tag", "Shelf": values["name"] = text()
        case "Profile": values["text"] = text()
        case "Author":
            values["name"] = .text(pick(Self.texts))
            values["active"] = one(in: 4) ? ModelValue.none : .number(pick([0, 1]))
            values["joined"] = date()
        default:
            (values["title"], values["note"], values["pages"]) = (text(), text(), whole())
            values["copies"] = one(in: 4) ? ModelValue.none : .number(pick([0, 1, 2]))
            values["rating"] = one(in: 4) ? ModelValue.none : .number(pick([0, 0.5, 1.5, -2.25]))
            values["price"] = one(in: 4) ? ModelValue.none : .number(pick([0, 0.5, 2, 19.75, -3.25]))
            values["published"] = date()
            values["identifier"] = token(.uuid)
            (values["cover"], values["link"]) = (token(.data), token(.uri))
            (values["size.width"], values["size.unit"]) = (whole(), text())
            // It is there for a total order.
            values["isbn"] = .text("b\(label)")
            if entity == "Novel" { values["genre"] = text() }
        }
        return .insert(label, entity: entity, values: values)
    }

    private mutating func some(_ labels: [Int], oneIn count: Int) -> ModelValue {
        .list(labels.filter { _ in one(in: count) }.map { .object($0) })
    }

    /// The moves that fill a store.
    mutating func filling() -> [ModelMove] {
        var moves: [ModelMove] = []
        let (tags, shelves, authors, books) = (Array(1...4), [11, 12], Array(21...24), Array(31...46))
        for label in tags { moves.append(insertion("Tag", label)) }
        for label in shelves { moves.append(insertion("Shelf", label)) }
        for label in authors { moves.append(insertion("Author", label)) }
        for label in 51...53 {
            moves.append(insertion("Profile", label))
            if !one(in: 3) { moves.append(.set(label - 30, key: "profile", .object(label))) }
        }
        for label in books {
            moves.append(insertion(label % 5 == 0 ? "Novel" : "Book", label))
            if !one(in: 4) { moves.append(.set(label, key: "author", .object(pick(authors)))) }
            if !one(in: 3) { moves.append(.set(label, key: "shelf", .object(pick(shelves)))) }
            moves.append(.set(label, key: "tags", some(tags, oneIn: 3)))
        }
        return moves
    }

    /// Unsaved changes of a graph; new objects have labels from the given one on.
    mutating func changes(of world: ModelWorld, newFrom first: Int) -> [ModelMove] {
        var world = world
        var moves: [ModelMove] = []
        for count in 0..<10 {
            let books = world.labels(of: "Book")
            let (authors, tags) = (world.labels(of: "Author"), world.labels(of: "Tag"))
            guard !books.isEmpty, !authors.isEmpty, !tags.isEmpty else { break }
            let move: ModelMove
            switch number(below: 13) {
            case 0, 1: move = insertion(pick(["Book", "Novel", "Book"]), first + count)
            case 2: move = .delete(pick(books))
            case 3: move = one(in: 4) ? .delete(pick(authors)) : .delete(pick(tags))
            case 4: move = .set(pick(books), key: "title", text())
            case 5: move = .set(pick(books), key: "pages", whole())
            case 6: move = .set(pick(books), key: "author", one(in: 4) ? .none : .object(pick(authors)))
            case 7: move = .set(pick(books), key: "tags", some(tags, oneIn: 2))
            case 8: move = .set(pick(authors), key: "joined", date())
            case 9: move = .set(pick(books), key: pick(["size.width", "copies"]), whole())
            case 10: move = .set(pick(books), key: "note", text())
            case 11: move = .set(pick(tags), key: "name", text())
            default:
                let shelves = world.labels(of: "Shelf")
                move = .set(pick(books), key: "shelf", one(in: 4) ? .none : .object(pick(shelves)))
            }
            if world.play(move) { moves.append(move) }
        }
        return moves
    }
}
