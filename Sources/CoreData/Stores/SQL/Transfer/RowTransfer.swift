// Implementation notes: Stores/SQL/Transfer.
//
// - Rows are copied page by page in the order of their keys, by `RowShape` and `RowWriter`, so drivers need no code of
//   their own. The rows that have been copied already show where a copy continues.
// - `TransferCheck` searches beforehand for values that the other end cannot hold (`TransferLimits`).
//   `TransferComparison` compares afterwards. `FillingTransaction` has the transactions in which a store of any engine
//   is filled.
// - A store that is being filled is an `UnfinishedStore`: its metadata mark it, and no program opens it. A file lies in
//   the folder of the store's migrations until it is complete.

import Foundation

/// Copies the rows of a store in tables into the tables that another database has for the same model, key by key.
///
/// Memory does not grow with the store. Rows that have been copied already are not written again: a transfer that was
/// interrupted resumes after the last row of each table. Entities and keys stay the same.
package struct RowTransfer {
    private let source: TransferEnd
    private let target: TransferEnd
    private let follower: TransferFollower

    package init(from source: TransferEnd, to target: TransferEnd, follower: TransferFollower) {
        self.source = source
        self.target = target
        self.follower = follower
    }

    /// Copies everything that is missing.
    ///
    /// - Parameter written: called after every page, within the transaction that wrote it.
    package func copy(_ written: () throws -> Void) throws {
        let (reader, present) = (TransferReader(source), TransferReader(target))
        var files = ExternalFileChanges()
        for root in source.roots {
            guard let table = target.schema.table(ofRoot: root.index)?.name else { continue }
            follower.begin(
                .copying, root.name, rows: try source.count(source.schema.table(ofRoot: root.index)?.name ?? ""))
            var last = try present.lastKey(of: root)
            if last > 0 { try follower.advance(Int(try target.count(table))) }
            var pages = TransferPages()
            while true {
                let rows = try reader.rows(of: root, after: last, limit: pages.limit)
                guard let final = rows.last else { break }
                last = final.key & ObjectKey.primaryKeyMask
                try write(rows, &files)
                pages.adapt(to: rows)
                try written()
                try follower.advance(rows.count)
            }
            try noteHighestKey(of: root, table)
        }
        for relationship in source.relationships { try copyPairs(of: relationship, reader, present, written) }
        target.externalData?.committed(files)
    }

    // MARK: Rows

    private func write(_ rows: [Snapshot], _ files: inout ExternalFileChanges) throws {
        for (index, part) in Dictionary(grouping: rows, by: \.layoutIndex).sorted(by: { $0.key < $1.key }) {
            let entity = target.layout.entities[index]
            guard let number = target.schema.numbers[index],
                let table = target.schema.table(ofRoot: entity.rootIndex)?.name
            else { continue }
            let writer = RowWriter(layout: entity, schema: target.schema, table: table, number: number)
            let statement = try target.connection.statement(.insert(layout: index)) { writer.insert }
            do {
                try statement.run(part.count) { place, parameters in
                    try bind(part[place], writer: writer, to: parameters, files: &files)
                }
            } catch let refused as RefusedRow {
                throw refused.error
            }
        }
    }

    private func bind(
        _ row: Snapshot, writer: RowWriter, to parameters: any SQLParameters, files: inout ExternalFileChanges
    ) throws {
        parameters.bind(1, row.key & ObjectKey.primaryKeyMask)
        parameters.bind(2, writer.number)
        parameters.bind(3, Int64(row.version))
        for (place, field) in writer.fields.enumerated() {
            try writer.bind(field, of: row, to: parameters, at: place + 4, numbers: target.schema.numbers) { bytes in
                guard let externalData = target.externalData else { return ExternalData.inline(bytes) }
                return try externalData.encode(bytes, &files)
            }
        }
    }

    /// Sets the key counter to that of the source, so that no key is given twice.
    private func noteHighestKey(of root: EntityLayout, _ table: String) throws {
        guard let old = source.schema.numbers[root.index], let new = target.schema.numbers[root.index],
            let name = source.schema.table(ofRoot: root.index)?.name
        else { return }
        try target.connection.setHighestKey(
            source.connection.highestKey(in: name, ofNumber: Int64(old)), ofNumber: Int64(new))
    }

    // MARK: Pairs

    private static let pairsTogether = 1_000

    private func copyPairs(
        of relationship: ToManySlot, _ reader: TransferReader, _ present: TransferReader, _ written: () throws -> Void
    ) throws {
        guard let join = target.join(relationship), let from = source.join(relationship) else { return }
        follower.begin(
            .copying, source.layout.entities[relationship.declaringIndex].name, rows: try source.count(from.table))
        var last = try present.lastPair(of: relationship)
        if last != nil { try follower.advance(Int(try target.count(join.table))) }
        let columns =
            [join.ownerColumn, join.memberColumn] + [join.orderColumn, join.inverseOrderColumn].compactMap(\.self)
        let statement = try target.connection.prepare(.insert(SQLInsert(into: join.table, columns)))
        while true {
            let pairs = try reader.pairs(of: relationship, after: last, limit: Self.pairsTogether)
            guard let final = pairs.last else { return }
            last = final
            try statement.run(pairs.count) { place, parameters in
                let pair = pairs[place]
                parameters.bind(1, pair.owner)
                parameters.bind(2, pair.member)
                var number = 3
                for (column, value) in [(join.orderColumn, pair.place), (join.inverseOrderColumn, pair.inversePlace)]
                where column != nil {
                    if let value { parameters.bind(number, value) } else { parameters.bindNull(number) }
                    number += 1
                }
            }
            try written()
            try follower.advance(pairs.count)
        }
    }

    // MARK: Beginning anew

    /// Deletes all rows of the target.
    package func clear() throws {
        for table in target.schema.joinTables + target.schema.entityTables {
            try target.connection.run(.delete(SQLDelete(from: table.name)))
        }
    }
}

/// Reports the progress of a transfer to a `Progress`, and checks whether it was cancelled.
package final class TransferFollower {
    private let progress: Progress?
    private let total: Double
    private var done = 0
    private var doneOfTable = 0

    /// - Parameter rows: The number of rows in all.
    package init(_ progress: Progress?, rows: Int64) {
        self.progress = progress
        total = Double(max(1, rows))
        if let progress, progress.totalUnitCount < 1000 { progress.totalUnitCount = 1000 }
    }

    package func begin(_ stage: MigrationEvent.Stage, _ entity: String, rows: Int64) {
        doneOfTable = 0
        MigrationFeed.of(progress)?.begin(stage, entity: entity, rows: Int(rows))
    }

    /// Adds a number of completed rows. Throws if the transfer is cancelled.
    package func advance(_ rows: Int) throws {
        try MigrationCancellation.check(progress)
        done += rows
        doneOfTable += rows
        let fraction = min(1, Double(done) / total)
        if let progress { progress.completedUnitCount = max(progress.completedUnitCount, Int64(fraction * 999)) }
        MigrationFeed.of(progress)?.update(rows: doneOfTable, fraction: fraction)
    }
}
