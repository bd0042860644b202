import CBaseline

/// The rows that every contender writes and expects: the same generator and seed for all.
struct SourceData {
    /// The rows as the C baseline takes them. They live as long as the process.
    let rows: UnsafeMutablePointer<baseline_data>

    init(authors: Int, books: Int) {
        rows = baseline_data_make(Int32(authors), Int32(books))
    }

    var authorCount: Int { Int(rows.pointee.author_count) }
    var bookCount: Int { Int(rows.pointee.book_count) }

    /// Indexes of all books in an order that depends on the seed alone, each once: no read can hit what another cached.
    var shuffledIndexes: [Int] {
        var generator = SeededGenerator(state: 19_840_124)
        return (0..<bookCount).shuffled(using: &generator)
    }
}

/// splitmix64, so that an order is the same in every process.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
