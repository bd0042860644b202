#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

// Rows straight into snapshots: values are read where libpq has them.
extension PostgreSQLStatement {
    func snapshots(
        of shape: RowShape, into cache: RowCache, refreshing: Bool, bind: (any SQLParameters) throws -> Void,
        body: ([Snapshot]) throws -> Void
    ) throws {
        let moment = connection.readSince ?? cache.moment
        let rows = try rows { try bind($0) }
        let sole = shape.solePlan
        var intake = RowIntake(shape, cache, since: moment, refreshing: refreshing)
        for row in 0..<rows.count {
            rows.row = row
            // Where all rows are of one entity, its number is not read; a plan is not copied for each row.
            if let sole {
                try Self.take(rows, shape: shape, plan: sole, into: &intake)
            } else if let (_, plan) = shape.plan(ofNumber: Int(rows.int64(1))) {
                try Self.take(rows, shape: shape, plan: plan, into: &intake)
            }
            if intake.isFull { try intake.handOn(body) }
        }
        if !intake.isEmpty { try intake.handOn(body) }
    }

    func snapshot(_ shape: RowShape, _ cache: RowCache?, refreshing: Bool, key: Int64) throws -> Snapshot? {
        let moment = connection.readSince ?? cache?.moment
        let rows = try row(ofKey: key)
        guard rows.count > 0, let (_, plan) = shape.plan(ofNumber: Int(rows.int64(1))) else { return nil }
        let version = Int32(truncatingIfNeeded: rows.int64(2))
        let row = try Self.build(rows, shape: shape, plan: plan, key: shape.key(rows.int64(0)), version: version)
        guard let cache else { return row }
        return cache.batch(readSince: moment, rootIndex: shape.rootIndex) {
            shape.put(row, into: $0, refreshing: refreshing) ?? row
        }
    }

    /// Takes the current row.
    @inline(__always)
    private static func take(
        _ row: PostgreSQLRow, shape: RowShape, plan: RowShape.Plan, into intake: inout RowIntake
    ) throws {
        let key = try shape.key(row.int64(0))
        let version = Int32(truncatingIfNeeded: row.int64(2))
        try intake.take(key, version: version, plan) {
            try build(row, shape: shape, plan: plan, key: key, version: version)
        }
    }

    /// The row of a key, without what a list of parameters takes.
    private func row(ofKey key: Int64) throws -> PostgreSQLRow {
        let prepared = try prepared()
        if prepared.types == [PostgreSQLType.int8] {
            do {
                return try given(connection.run(prepared.name, key: key))
            } catch let error as PostgreSQLError where error.state == PostgreSQLError.cachedPlan {
                // The usual way prepares it anew.
            }
        }
        return try rows { $0.bind(1, key) }
    }

    /// The rows of a result of the statement for one row.
    func given(_ result: OpaquePointer) -> PostgreSQLRow {
        if single?.columns.isEmpty == true {
            single?.columns = (0..<PQnfields(result)).map { PQftype(result, $0) }
        }
        return PostgreSQLRow(result, types: single?.columns, labels: connection.labels)
    }

    private static func build(
        _ row: PostgreSQLRow, shape: RowShape, plan: RowShape.Plan, key: Int64, version: Int32
    ) throws -> Snapshot {
        var tail = plan.layout.transientTailBytes
        for field in plan.tails {
            let length = row.length(Int(field.column))
            switch field.kind {
            case .decimal: tail += length == 0 ? 0 : SnapshotBuilder.decimalSize
            default: tail += length
            }
        }
        var builder = SnapshotBuilder(layout: plan.layout, key: key, version: version, tailBytes: tail)
        for field in plan.inline {
            let (place, slot) = (Int(field.column), Int(field.slot))
            // No value of these types is empty.
            let bytes = row.bytes(place)
            if bytes.isEmpty { continue }
            switch field.kind {
            case .integer, .boolean:
                let value = row.int64(place, bytes)
                guard field.fits(value) else {
                    throw shape.damage(
                        "The table holds \(value), which is too large,", field: field, plan: plan, key: key)
                }
                builder.set(slot, int: value)
            case .double:
                let value = row.double(place, bytes)
                if row.isInfiniteTime(place, value) {
                    throw shape.damage("The table holds an infinite time", field: field, plan: plan, key: key)
                }
                builder.set(slot, double: value)
            case .reference:
                let reference = row.int64(place, bytes)
                guard reference <= ObjectKey.primaryKeyMask else {
                    throw shape.damage(
                        "The table holds \(reference), which is beyond all keys,", field: field, plan: plan, key: key)
                }
                if reference > 0 { builder.set(slot, int: shape.keyBase | reference) }
            case .entityNumber:
                if let index = shape.layoutIndex(ofNumber: Int(row.int64(place, bytes))) {
                    builder.set(slot, int: Int64(index))
                }
            case .bytes, .external, .uuid, .decimal: break
            }
        }
        for field in plan.tails {
            let (place, slot) = (Int(field.column), Int(field.slot))
            let bytes = row.bytes(place)
            if bytes.isEmpty, row.isNull(place) { continue }
            switch field.kind {
            case .bytes: builder.set(slot, bytes: bytes)
            case .external: builder.set(slot, bytes: ExternalData.inlineBytes(bytes))
            case .uuid:
                guard bytes.count == 16 else {
                    throw shape.damage(isBlob: true, "is no UUID", field: field, plan: plan, key: key)
                }
                builder.set(slot, bytes: bytes)
            case .decimal:
                guard let (number, isExact) = PostgreSQLNumeric.decimal(bytes) else {
                    throw shape.damage(
                        "The table holds a number that is no decimal", field: field, plan: plan, key: key)
                }
                guard isExact else {
                    throw shape.damage(
                        "The table holds a number of more than 38 digits", field: field, plan: plan, key: key)
                }
                builder.set(slot, decimal: number)
            case .integer, .boolean, .double, .reference, .entityNumber: break
            }
        }
        return builder.finish(withTransientsOf: plan.layout)
    }
}
#endif
