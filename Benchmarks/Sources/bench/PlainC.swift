import CBaseline
import Foundation

/// The contender that sets the measure: structs and SQLite, in C.
enum PlainC {
    static func run(_ work: Work, store: String, data: SourceData) throws -> Measurement {
        let cacheSize = StoreSettings.cacheSize
        let result: baseline_result
        switch work {
        case .insert:
            result = baseline_insert(store, cacheSize, data.rows)
        case .readAll:
            result = baseline_read_all(store, cacheSize)
        case .readFaults:
            // The values of faults are not read, so they have no checksum.
            var whole = baseline_read_all(store, cacheSize)
            whole.checksum = 0
            result = whole
        case .readIDs, .readWithoutValues:
            result = baseline_read_ids(store, cacheSize)
        case .query:
            result = baseline_query(store, cacheSize, Int64(Work.queries))
        case .queryByAuthor:
            result = baseline_query_by_author(
                store, cacheSize, Int64(data.authorCount), Int64(Work.authorQueries))
        case .prefetched, .lazily:
            result = baseline_read_authors(store, cacheSize, work == .lazily ? 1 : 0)
        case .update:
            result = baseline_update(store, cacheSize)
        case .saveEach:
            result = baseline_save_each(store, cacheSize, Int64(Work.saves))
        case .delete:
            result = baseline_delete_half(store, cacheSize)
        case .average:
            result = baseline_average(store, cacheSize, Int64(Work.averages))
        case .dictionaries, .tuples:
            result = baseline_read_values(store, cacheSize)
        case .search:
            let words = Work.searchedWords.map { UnsafePointer(strdup($0)) }
            result = baseline_search(store, cacheSize, words, Int64(words.count))
        case .searchExactly:
            let words = Work.exactWords.map { UnsafePointer(strdup($0)) }
            result = baseline_search_exactly(store, cacheSize, words, Int64(words.count))
        case .count:
            result = baseline_count_books(store, cacheSize, Int64(Work.countings))
        case .history:
            result = baseline_read_history(store, cacheSize)
        case .insertDictionaries, .insertObjects:
            result = baseline_batch_insert(store, cacheSize, data.rows)
        case .insertArray:
            result = baseline_batch_insert_array(store, cacheSize, data.rows)
        case .batchUpdate:
            result = baseline_batch_update(store, cacheSize)
        case .batchDelete:
            result = baseline_batch_delete(store, cacheSize)
        case .results:
            result = baseline_fetch_results(store, cacheSize)
        case .changedResults:
            result = baseline_change_results(store, cacheSize, Int64(Work.movedBooks))
        case .childChain:
            result = baseline_insert(store, cacheSize, data.limited(to: Work.graphBooks).rows)
        case .merge:
            result = baseline_merge(store, cacheSize, Int64(Work.graphBooks))
        case .readByKey, .contexts:
            let keys = data.shuffledIndexes.map { Int64($0 + 1) }
            result = baseline_read_by_key(store, cacheSize, keys, Int64(keys.count))
        case .readByISBN:
            let indexes = data.shuffledIndexes.map(Int64.init)
            result = baseline_read_by_isbn(store, cacheSize, data.rows, indexes, Int64(indexes.count))
        }
        return try measurement(of: result)
    }

    /// Converts the result of a C function to a measurement.
    /// - Throws: `BenchmarkFailure` with SQLite's words when the work failed.
    @discardableResult
    static func measurement(of result: baseline_result) throws -> Measurement {
        let message = withUnsafeBytes(of: result.error) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard message.isEmpty else { throw BenchmarkFailure(description: "plain C: \(message)") }
        var measurement = Measurement()
        measurement.seconds = result.seconds
        measurement.cpuSeconds = result.cpu_seconds
        measurement.checksum = result.checksum
        measurement.count = Int(result.count)
        return measurement
    }
}
