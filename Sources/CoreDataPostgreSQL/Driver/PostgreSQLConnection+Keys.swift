#if PostgreSQL
    import CoreData
    import Foundation

    extension PostgreSQLConnection {
        /// Takes so many keys of a table that others do not use: in blocks where the table is ours, one by one from the
        /// sequence of a table that others have made. Nil where the table has no sequence.
        func nextKeys(_ count: Int, of table: String) throws -> [Range<Int64>]? {
            if let spare = spareKeys[table], spare.count >= count {
                spareKeys[table] = spare.dropFirst(count)
                return [spare.prefix(count)].map { $0.lowerBound..<$0.upperBound }
            }
            let isOurs = PostgreSQLDialect.place(of: table).schema == nil
            let together = isOurs ? PostgreSQLTables.keysTogether : 1
            guard let sequence = try sequences[table] ?? sequence(of: table, isOurs: isOurs) else { return nil }
            sequences[table] = sequence
            let blocks = (Int64(count) + together - 1) / together
            let starts =
                try isOurs ? freeBlocks(blocks, sequence, table) : freeNumbers(blocks, sequence, table)
            var ranges: [Range<Int64>] = []
            var missing = Int64(count)
            for start in starts {
                guard start > 0, start <= ObjectKey.primaryKeyMask else {
                    throw NSError.coreData(
                        NSPersistentStoreSaveError,
                        reason: "The sequence \(sequence) gives the key \(start), and keys go from 1 to "
                            + "\(ObjectKey.primaryKeyMask).")
                }
                let end = start + min(missing, together)
                missing -= end - start
                if end < start + together { spareKeys[table] = end..<start + together }
                if let last = ranges.last, last.upperBound == start {
                    ranges[ranges.count - 1] = last.lowerBound..<end
                } else {
                    ranges.append(start..<end)
                }
            }
            return ranges
        }

        /// The next numbers of a sequence, each with what an expression is meanwhile.
        private func next(
            _ count: Int64, _ sequence: String, _ expression: String
        ) throws -> [(start: Int64, value: Int64)] {
            try rows(
                "SELECT nextval($1::text::regclass), \(expression) FROM generate_series(1, $2::int8)",
                [sequence, "\(count)"]
            ).map { (Int64($0[0] ?? "") ?? 0, Int64($0[1] ?? "") ?? 0) }
        }

        /// Takes blocks that lie above all keys of the table: others insert rows under keys of their own choice.
        private func freeBlocks(_ count: Int64, _ sequence: String, _ table: String) throws -> [Int64] {
            let dialect = PostgreSQLDialect()
            let key = dialect.quoted(SQLSchema.keyColumn)
            let highest =
                "(SELECT max(\(key)) FROM \(dialect.quoted(table)) WHERE \(key) <= \(ObjectKey.primaryKeyMask))"
            var free: [Int64] = []
            while free.count < count {
                let taken = try next(count - Int64(free.count), sequence, highest)
                free += taken.filter { $0.start > $0.value }.map(\.start)
                guard let last = taken.last, last.value >= last.start else { continue }
                let together = PostgreSQLTables.keysTogether
                let blocks = (last.value - last.start) / together
                if blocks <= 10_000 {
                    if blocks > 0 { _ = try next(blocks, sequence, "NULL") }
                } else {
                    try raise(sequence, to: last.value / together * together + 1)
                }
            }
            return free
        }

        /// Takes numbers that are no row's key in a table that others have made. The sequence lags behind where rows
        /// were inserted with keys of their own. It is not ours to set, so it is asked until there are enough numbers.
        private func freeNumbers(_ count: Int64, _ sequence: String, _ table: String) throws -> [Int64] {
            let dialect = PostgreSQLDialect()
            let (key, quoted) = (dialect.quoted(SQLSchema.keyColumn), dialect.quoted(table))
            // A recursive query goes on as far as its rows are wanted; a join could want them all.
            let free = try rows(
                """
                WITH RECURSIVE number (n, position) AS (SELECT nextval($1::text::regclass), 1::int8 UNION ALL \
                SELECT nextval($1::text::regclass), position + 1 FROM number WHERE position < $2::int8) \
                SELECT n FROM number WHERE (SELECT true FROM \(quoted) WHERE \(key) = n LIMIT 1) IS NULL LIMIT $3::int8
                """, [sequence, "\(count + Self.longestLag)", "\(count)"]
            ).map { Int64($0[0] ?? "") ?? 0 }
            // One that begins anew gives a number twice.
            if free.count == count, Set(free).count == free.count { return free }
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "The sequence \(sequence) lags behind the rows of its table: most of its next "
                    + "\(Self.longestLag) numbers are keys of rows. Set it to the highest key with setval().")
        }

        /// How many numbers of a sequence may be taken by rows before it is an error.
        private static let longestLag: Int64 = 1_000_000

        /// Lets a sequence be at a number, unless it is there already. Nobody sets it back who has asked before another
        /// one raised it.
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
