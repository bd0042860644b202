#if PostgreSQL
import CoreData
import Foundation

extension PostgreSQLConnection {
    /// Takes a number of keys of a table that no other connection uses: in blocks where the table is ours, and one
    /// by one from the sequence of an existing table of another program. Nil where the table has no sequence.
    func nextKeys(_ count: Int, of table: String) throws -> [Range<Int64>]? {
        if let spare = keyRanges.spare[table], spare.count >= count {
            keyRanges.spare[table] = spare.dropFirst(count)
            return [spare.prefix(count)].map { $0.lowerBound..<$0.upperBound }
        }
        let isOurs = PostgreSQLDialect.place(of: table).schema == nil
        let together = isOurs ? PostgreSQLTables.keysTogether : 1
        guard let sequence = try keyRanges.sequences[table] ?? sequence(of: table, isOurs: isOurs) else { return nil }
        keyRanges.sequences[table] = sequence
        let blocks = (Int64(count) + together - 1) / together
        let starts = try isOurs ? freeBlocks(blocks, sequence, table) : freeNumbers(blocks, sequence, table)
        var ranges: [Range<Int64>] = []
        var missing = Int64(count)
        for start in starts {
            guard start > 0, start <= ObjectKey.primaryKeyMask - together + 1 else {
                throw NSError.coreData(
                    NSPersistentStoreSaveError,
                    reason: "The sequence \(sequence) gives the key \(start), and keys go from 1 to "
                        + "\(ObjectKey.primaryKeyMask).")
            }
            let end = start + min(missing, together)
            missing -= end - start
            if end < start + together { keyRanges.spare[table] = end..<start + together }
            if let last = ranges.last, last.upperBound == start {
                ranges[ranges.count - 1] = last.lowerBound..<end
            } else {
                ranges.append(start..<end)
            }
        }
        return ranges
    }

    /// Takes blocks without a key of the table, because other programs may insert rows under keys of their own
    /// choice. Where such keys lie close to each other, the sequence continues after them, or steps over one block
    /// after the other if the role may not set it.
    private func freeBlocks(_ count: Int64, _ sequence: String, _ table: String) throws -> [Int64] {
        if let free = try free(count, sequence, table, passing: Self.shortestJump) { return free }
        let maySet = try !rows("SELECT 1 WHERE has_sequence_privilege($1::text, 'UPDATE')", [sequence]).isEmpty
        if maySet {
            let dialect = PostgreSQLDialect()
            let key = dialect.quoted(SQLSchema.keyColumn)
            let highest = try texts(
                "SELECT max(\(key)) FROM \(dialect.quoted(table)) WHERE \(key) <= \(PostgreSQLTables.farthestKey)")
            let together = PostgreSQLTables.keysTogether
            try raise(sequence, to: (highest.first.flatMap { Int64($0) } ?? 0) / together * together + 1)
        }
        if let free = try free(count, sequence, table, passing: Self.longestLag) { return free }
        throw Self.lag(
            of: sequence,
            maySet ? "" : " The role has no right to do so: it needs UPDATE on \(sequence).")
    }

    /// Takes numbers that are no row's key in an existing table of another program. The sequence lags behind where
    /// rows were inserted with keys of their own. The framework does not set such a sequence, so it takes numbers
    /// until enough of them are free.
    private func freeNumbers(_ count: Int64, _ sequence: String, _ table: String) throws -> [Int64] {
        if let free = try free(count, sequence, table, passing: Self.longestLag) { return free }
        throw Self.lag(of: sequence)
    }

    private static func lag(of sequence: String, _ remark: String = "") -> NSError {
        .coreData(
            NSPersistentStoreSaveError,
            reason: "The sequence \(sequence) lags behind the rows of its table: most of its next "
                + "\(longestLag) numbers are keys of rows. Set it to the highest key with setval().\(remark)")
    }

    /// Takes numbers from a sequence until enough of them are free; nil where it steps over too many used ones
    /// before. In a table of ours each number stands for a block of keys.
    private func free(
        _ count: Int64, _ sequence: String, _ table: String, passing others: Int64
    ) throws -> [Int64]? {
        let dialect = PostgreSQLDialect()
        let (key, quoted) = (dialect.quoted(SQLSchema.keyColumn), dialect.quoted(table))
        // The table may have a column or a name that is a common word, and keeps it.
        let number = "coredata_number.coredata_n"
        let isFree =
            PostgreSQLDialect.place(of: table).schema == nil
            ? "coalesce((SELECT \(key) FROM \(quoted) WHERE \(key) >= \(number) ORDER BY \(key) LIMIT 1) "
                + ">= \(number) + \(PostgreSQLTables.keysTogether), true)"
            : "(SELECT true FROM \(quoted) WHERE \(key) = \(number) LIMIT 1) IS NULL"
        // A recursive query continues as far as its rows are needed; a join could need them all.
        let free = try rows(
            """
            WITH RECURSIVE coredata_number (coredata_n, place) AS (SELECT nextval($1::text::regclass), 1::int8 \
            UNION ALL SELECT nextval($1::text::regclass), place + 1 FROM coredata_number WHERE place < $2::int8) \
            SELECT \(number) FROM coredata_number WHERE \(isFree) LIMIT $3::int8
            """, [sequence, "\(count + others)", "\(count)"]
        ).map { Int64($0[0] ?? "") ?? 0 }
        // A sequence that cycles returns a number twice.
        return free.count == count && Set(free).count == free.count ? free : nil
    }

    /// The number of used keys that are stepped over before the sequence is set above them.
    private static let shortestJump: Int64 = 10_000

    /// How many numbers of a sequence may be taken by rows before it is an error.
    private static let longestLag: Int64 = 1_000_000

    /// Raises a sequence to a number, unless it has come that far. A process that read the sequence before another
    /// one raised it does not set it back.
    private func raise(_ sequence: String, to number: Int64) throws {
        _ = try rows(
            """
            WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(\(Self.raisingLock)) IS NULL) \
            SELECT CASE WHEN coalesce(pg_sequence_last_value($1::text::regclass), 0) < $2::int8 \
            THEN setval($1::text::regclass, $2::int8) END FROM turn
            """, [sequence, "\(number)"])
    }

    /// 'OpenKeys' in ASCII.
    private static let raisingLock = 0x4F70_656E_4B65_7973

    private func sequence(of table: String, isOurs: Bool) throws -> String? {
        if isOurs {
            return try rows("SELECT pg_get_serial_sequence($1, 'id')", [PostgreSQLDialect().quoted(table)]).first?[
                0]
        }
        let view = PostgreSQLDialect.place(of: table).name
        return try rows("SELECT sequence FROM coredata.existing WHERE \"view\" = $1", [view]).first?[0]
    }
}
#endif
