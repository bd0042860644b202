import CBaseline
import Foundation

/// The rows that every contender writes and expects: the same generator and seed for all.
final class SourceData {
    let authorCount: Int
    let bookCount: Int

    /// The rows in the form of the C baseline, made at the first access. They exist as long as the process.
    private(set) lazy var rows = baseline_data_make(Int32(authorCount), Int32(bookCount))

    init(authors: Int, books: Int) {
        (authorCount, bookCount) = (authors, books)
    }

    /// The data of a work that takes at most so many books.
    func limited(to books: Int) -> SourceData {
        books >= bookCount ? self : SourceData(authors: max(books / 100, 1), books: books)
    }

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
