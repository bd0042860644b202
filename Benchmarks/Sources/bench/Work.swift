/// One piece of measured work, with the bar that Core Data has to stay under.
enum Work: String, CaseIterable {
    /// W1: make 1,000 authors and 100,000 books with their relationships, save in one transaction.
    case insert
    /// R1: fetch every book as an object, read every property of each once.
    case readAll = "read-all"
    /// R1 as faults: fetch every book, read nothing; beside the whole rows of C.
    case readFaults = "read-faults"
    /// R1 as ids: the ids of all books.
    case readIDs = "read-ids"
    /// R1 as objects whose rows are not asked for.
    case readWithoutValues = "read-without-values"
    /// R2: a predicate with a prefix, sorted, the first 100; with other values each time.
    case query
    /// R3: one book by primary key, 100,000 times, in random order, none of them cached.
    case readByKey = "read-by-key"
    /// R3: one book by its unique isbn, 100,000 times, in random order, none of them cached.
    case readByISBN = "read-by-isbn"
    /// R4: the author's name of every book and the number of books of every author, prefetched.
    case prefetched
    /// R4: the same, each author when it is first asked for.
    case lazily
    /// U1: fetch all books, change two of eight properties of each, save.
    case update
    /// D1: delete half of the authors, whose books go with them.
    case delete
    /// A1: the average price by author.
    case average
    /// Four values of every book, as dictionaries.
    case dictionaries

    var title: String {
        switch self {
        case .insert: "W1 insert, one save"
        case .readAll: "R1 fetch all, read all"
        case .readFaults: "R1 as faults, nothing read"
        case .readIDs: "R1 as ids"
        case .readWithoutValues: "R1 without property values"
        case .query: "R2 predicate, sort, limit"
        case .readByKey: "R3 one by primary key"
        case .readByISBN: "R3 one by unique isbn"
        case .prefetched: "R4 authors, prefetched"
        case .lazily: "R4 authors, lazily"
        case .update: "U1 change 2 of 8, save"
        case .delete: "D1 delete half, cascade"
        case .average: "A1 average by author"
        case .dictionaries: "4 values as dictionaries"
        }
    }

    /// How many times the time of plain C the same work may take; nil where it is only looked at: a fetch by a predicate
    /// parses, translates and executes a query anew each time.
    var bar: Double? {
        switch self {
        case .insert: 4
        case .readAll: 3
        case .readByKey: 4
        default: nil
        }
    }

    /// How often a work that is one query is repeated.
    static let queries = 100
    static let averages = 10

    /// Whether the work starts from a store that has no rows.
    var startsEmpty: Bool { self == .insert }
}

/// Who does the work.
enum Contender: String, CaseIterable {
    case c
    case coreData = "core-data"
}

/// What one child process measured, as it prints it in one line.
struct Measurement {
    var seconds = 0.0
    /// Processor time of all threads meanwhile: what is left of the comparison when the machine has other work to do.
    var cpuSeconds = 0.0
    var checksum = 0.0
    var count = 0
    /// Bytes of heap per realised book, without what SQLite itself holds; 0 when the work does not measure it.
    var bytesPerBook = 0.0
    /// Growth of the resident set per realised book, SQLite's page cache included; 0 when it is not measured.
    var residentPerBook = 0.0

    var line: String { "\(seconds) \(cpuSeconds) \(checksum) \(count) \(bytesPerBook) \(residentPerBook)" }

    init() {}

    init?(line: String) {
        let fields = line.split(separator: " ")
        guard fields.count == 6, let seconds = Double(fields[0]), let cpuSeconds = Double(fields[1]),
            let checksum = Double(fields[2]), let count = Int(fields[3]), let bytes = Double(fields[4]),
            let resident = Double(fields[5])
        else { return nil }
        self.seconds = seconds
        self.cpuSeconds = cpuSeconds
        self.checksum = checksum
        self.count = count
        bytesPerBook = bytes
        residentPerBook = resident
    }
}

/// Something that makes the whole benchmark meaningless.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
}
