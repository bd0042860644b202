/// A piece of work that models do, and that `@NSManaged` objects do beside them where the bar is a ratio to these.
enum ComparedWork: String, CaseIterable {
    /// Fetch all books, read every property.
    case readAll = "read-all"
    /// Make authors and books by their initialisers, insert them, save once.
    case insert
    /// Fetch all books, change two of eight properties of each, save.
    case update
    /// One book by its identifier, in random order, none of them cached.
    case readByID = "read-by-id"
    /// One book by its unique isbn, in random order, none of them cached.
    case readByISBN = "read-by-isbn"
    /// Books between two isbns, with new bounds for each fetch.
    case readByRange = "read-by-range"
    /// Count books by conditions that no book meets, with new constants each time.
    case countByRange = "count-by-range"
    /// All books as results that are followed, in an order, and a hundredth of them read.
    case results
    /// Books of followed results move, a few at a time, and the results are read each time.
    case changedResults = "changed-results"
    /// The transactions and changes of a history, after a change of every book in ten saves.
    case history
    /// A container for many classes, the first one of the process.
    case container
    /// Read an enumeration with a raw value.
    case enumeration
    /// Read a structure of four fields, beside four attributes.
    case structure
    /// Append books to the relationship of one author.
    case append
    /// Append as many books to the relationships of several authors, 1,000 to each.
    case appendThousands = "append-thousands"
    /// Make books of generated values, save once.
    case insertGenerated = "insert-generated"
    /// Enumerate all books.
    case enumerate
    /// Save changed books on another queue, while the main queue has them and merges the save.
    case stall

    /// The works whose processor time has a bar beside `@NSManaged` objects, with the words for them.
    static let ratios: [(work: ComparedWork, title: String)] = [
        (.readAll, "fetch all, read all"), (.insert, "make, insert, one save"), (.update, "change 2 of 8, save"),
        (.readByID, "model(for:)"), (.readByISBN, "one by unique attribute"),
        (.readByRange, "\(rangeLength) by #Predicate and index"), (.results, "results of an observer"),
        (.changedResults, "results of an observer move"), (.history, "history, all changes"),
        (.enumeration, "read an enumeration"),
        (.structure, "read a structure of four"),
    ]

    /// The store that a work starts from.
    enum Start {
        case empty
        case filled
        case history
    }

    var start: Start {
        switch self {
        case .insert, .append, .appendThousands, .insertGenerated, .container, .enumeration, .structure: .empty
        case .readAll, .update, .readByID, .readByISBN, .readByRange, .countByRange, .enumerate, .stall, .results,
            .changedResults:
            .filled
        case .history: .history
        }
    }

    /// How many stops there are, and how often each is read.
    static let stops = 1_000
    static let stopReads = 1_000
    /// How many ranges of isbns there are, and how many books each has.
    static let ranges = 1_000
    static let rangeLength = 20
    /// How many predicates are translated.
    static let translations = 10_000
    /// How often books of followed results move, and how many at a time.
    static let movements = 100
    static let movedBooks = 10
    /// The distance of the books of followed results that are read.
    static let readDistance = 100
    /// The members of a relationship before and after its growth.
    static let fewMembers = 1_000
    static let manyMembers = 10_000
    /// Books that are changed and saved at once.
    static let changes = 10_000
}

/// Who does the work.
enum Side: String, CaseIterable {
    case models
    case objects
}

extension SwiftRows {
    /// Ranges of isbns, each of which has as many books.
    var ranges: [Range<String>] {
        let isbns = books.map(\.isbn).sorted()
        let (length, count) = (ComparedWork.rangeLength, ComparedWork.ranges)
        return (0..<count).map { number in
            let first = number * max(isbns.count - length - 1, 0) / count
            return isbns[first]..<isbns[first + length]
        }
    }
}
