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
            let starts = try rows(
                "SELECT nextval($1::text::regclass) FROM generate_series(1, $2::int8)", [sequence, "\(blocks)"])
            var ranges: [Range<Int64>] = []
            var missing = Int64(count)
            for start in starts.compactMap({ $0[0].flatMap { Int64($0) } }) {
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
