/// One piece of measured work, with the bar that Core Data has to stay under.
enum Work: String, CaseIterable, Codable {
    /// W1: make 1,000 authors and 100,000 books with their relationships, save in one transaction.
    case insert
    /// R1: fetch every book as an object, read every property of each once.
    case readAll = "read-all"
    /// R1 as faults: fetch every book, read nothing; beside the whole rows of C.
    case readFaults = "read-faults"
    /// R1 as ids: the ids of all books.
    case readIDs = "read-ids"
    /// R1 as objects whose rows are not read.
    case readWithoutValues = "read-without-values"
    /// R2: a predicate with a prefix, sorted, the first 100; with other values each time.
    case query
    /// R2 with an index: the newest books of one author, with more than so many pages.
    case queryByAuthor = "query-by-author"
    /// R3: one book by primary key, 100,000 times, in random order, none of them cached.
    case readByKey = "read-by-key"
    /// R3 with a context for each book, which is made, used and dropped, as a server does for each request.
    case contexts
    /// R3: one book by its unique isbn, 100,000 times, in random order, none of them cached.
    case readByISBN = "read-by-isbn"
    /// R4: the author's name of every book and the number of books of every author, prefetched.
    case prefetched
    /// R4: the author's name of every book and the number of books of every author, without prefetching.
    case lazily
    /// U1: fetch all books, change two of eight properties of each, save.
    case update
    /// 5,000 books, one after the other: change one of eight properties, save.
    case saveEach = "save-each"
    /// D1: delete half of the authors, whose books go with them.
    case delete
    /// A1: the average price by author.
    case average
    /// Four values of every book, as dictionaries.
    case dictionaries
    /// Four values of every book, as tuples.
    case tuples
    /// The transactions and changes of a history, after a change of every book in ten saves.
    case history
    /// All books by a batch insert whose block fills dictionaries.
    case insertDictionaries = "insert-dictionaries"
    /// All books by a batch insert whose block fills objects.
    case insertObjects = "insert-objects"
    /// All books by a batch insert of an array of dictionaries, which is made first.
    case insertArray = "insert-array"
    /// Two values of every book by a batch update.
    case batchUpdate = "batch-update"
    /// Half of the books by a batch delete with a predicate.
    case batchDelete = "batch-delete"
    /// The books whose title contains a word, whatever the case and marks; one word after the other.
    case search
    /// The books whose title contains a word as it is.
    case searchExactly = "search-exactly"
    /// How many books there are, while one more is unsaved.
    case count
    /// A fetched results controller: all books in sections by their rating.
    case results
    /// 1,000 of its books change their section.
    case changedResults = "changed-results"
    /// 10,000 books made in a child, saved into its private parent, saved into the store.
    case childChain = "child-chain"
    /// 10,000 changed books merged into another context that holds them.
    case merge

    var title: String {
        switch self {
        case .insert: "insert all, one save"
        case .readAll: "fetch all, read all"
        case .readFaults: "fetch all, read nothing"
        case .readIDs: "ids of all"
        case .readWithoutValues: "all without property values"
        case .query: "predicate, sort, first 100"
        case .queryByAuthor: "indexed predicate, first 20"
        case .readByKey: "one by primary key"
        case .contexts: "one by key, in its own context"
        case .readByISBN: "one by unique isbn"
        case .prefetched: "authors, prefetched"
        case .lazily: "authors, lazily"
        case .update: "change 2 of 8, save"
        case .saveEach: "change 1, save, 5,000 times"
        case .delete: "delete half, cascade"
        case .average: "average by author"
        case .dictionaries: "4 values as dictionaries"
        case .tuples: "4 values as tuples"
        case .history: "history, all changes"
        case .insertDictionaries: "batch insert, dictionaries"
        case .insertObjects: "batch insert, objects"
        case .insertArray: "batch insert, array"
        case .batchUpdate: "batch update, 2 of 8"
        case .batchDelete: "batch delete, half"
        case .search: "CONTAINS[cd], 4 words"
        case .searchExactly: "CONTAINS, 4 words"
        case .count: "count beside an unsaved one"
        case .results: "fetched results, sections"
        case .changedResults: "fetched results, 1,000 move"
        case .childChain: "through a child, 10,000"
        case .merge: "merged, 10,000"
        }
    }

    /// How often a work that is one query is repeated.
    static let queries = 100
    static let authorQueries = 1_000
    static let averages = 10
    /// The words that titles are searched for.
    static let searchedWords = ["river", "GLASS", "Brucke", "winter har"]
    static let exactWords = ["river", "éclair", "brücke", "winter har"]
    /// How often the books are counted.
    static let countings = 100
    /// How many books are saved by themselves, at most.
    static let saves = 5_000
    /// How many books go through a child, and into another context, at most.
    static let graphBooks = 10_000
    /// How many books of a fetched results controller change.
    static let movedBooks = 1_000

    /// What other libraries do, too.
    static let peers: [Work] = [
        .insert, .readAll, .query, .queryByAuthor, .readByKey, .readByISBN, .prefetched, .update, .delete,
    ]

    /// Whether the rows that the contenders leave in the store are compared: objects in memory would not show a
    /// difference.
    var isComparedInStore: Bool { [.insert, .update, .saveEach, .delete].contains(self) }

    /// The store that a work starts from.
    enum Start {
        case empty
        case filled
        case history
    }

    var start: Start {
        switch self {
        case .insert, .insertDictionaries, .insertObjects, .insertArray, .childChain: .empty
        case .history: .history
        default: .filled
        }
    }

    /// How many objects a work goes through among so many books: what its time is divided by for its growth.
    func objects(amongBooks books: Int) -> Int {
        switch self {
        case .queryByAuthor: Self.authorQueries
        case .childChain, .merge: min(books, Self.graphBooks)
        case .changedResults: min(books, Self.movedBooks)
        case .saveEach: min(books, Self.saves)
        default: books
        }
    }
}

/// Who does the work.
enum Contender: String, CaseIterable {
    case c
    case coreData = "core-data"
    /// GRDB, its SQL and its rows: statements that it caches, values taken from the row one by one.
    case grdbRows = "grdb-rows"
    /// GRDB, its records: Codable structs, and requests that it makes SQL of.
    case grdbRecords = "grdb-records"

    /// The contenders that do all works, in this program.
    static let own: [Contender] = [.c, .coreData]
    /// The contenders that do some works, in a program that only `bin/bench peers` builds (`Peers/`).
    static let peers: [Contender] = [.grdbRows, .grdbRecords]

    var title: String {
        switch self {
        case .c: "C"
        case .coreData: "OpenCoreData"
        case .grdbRows: "GRDB, SQL and rows"
        case .grdbRecords: "GRDB, Codable records"
        }
    }
}
