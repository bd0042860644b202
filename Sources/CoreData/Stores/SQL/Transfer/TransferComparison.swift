import Foundation

/// Compares the content of two stores: every row with every value, and every pair with its places.
package struct TransferComparison {
    private let source: TransferEnd
    private let target: TransferEnd
    private let follower: TransferFollower

    package init(_ source: TransferEnd, _ target: TransferEnd, follower: TransferFollower) {
        self.source = source
        self.target = target
        self.follower = follower
    }

    /// A description of the first difference; nil if there is none.
    package func difference() throws -> String? {
        let (reader, other) = (TransferReader(source), TransferReader(target))
        for root in source.roots {
            let names = [source, target].compactMap { $0.schema.table(ofRoot: root.index)?.name }
            guard names.count == 2 else { continue }
            let counts = try (source.count(names[0]), target.count(names[1]))
            if counts.0 != counts.1 { return "“\(root.name)” has \(counts.1) rows where there are \(counts.0)" }
            follower.begin(.verifying, root.name, rows: counts.0)
            var last: Int64 = 0
            var pages = TransferPages()
            while true {
                let rows = try reader.rows(of: root, after: last, limit: pages.limit)
                let others = try other.rows(of: root, after: last, limit: pages.limit)
                guard rows.count == others.count else { return "“\(root.name)” has other rows" }
                guard let final = rows.last else { break }
                for (row, other) in zip(rows, others) {
                    if let difference = difference(row, other) { return difference }
                }
                last = final.key & ObjectKey.primaryKeyMask
                pages.adapt(to: rows)
                try follower.advance(rows.count)
            }
        }
        for relationship in source.relationships {
            if let difference = try difference(of: relationship, reader, other) { return difference }
        }
        return nil
    }

    private static let pairsTogether = 1_000

    private func difference(
        of relationship: ToManySlot, _ reader: TransferReader, _ other: TransferReader
    ) throws -> String? {
        let entity = source.layout.entities[relationship.declaringIndex].name
        var last: TransferPair?
        while true {
            let pairs = try reader.pairs(of: relationship, after: last, limit: Self.pairsTogether)
            let others = try other.pairs(of: relationship, after: last, limit: Self.pairsTogether)
            guard pairs == others else {
                let pair = zip(pairs, others).first { $0 != $1 }?.0
                return "“\(entity).\(relationship.relationship.name)” has other members"
                    + (pair.map { " of row \($0.owner)" } ?? "")
            }
            guard let final = pairs.last else { return nil }
            last = final
            try follower.advance(pairs.count)
        }
    }

    // MARK: Values

    private func difference(_ row: Snapshot, _ other: Snapshot) -> String? {
        let entity = source.layout.entities[row.layoutIndex]
        let number = row.key & ObjectKey.primaryKeyMask
        guard row.key == other.key, row.layoutIndex == other.layoutIndex, row.version == other.version else {
            return "“\(entity.name)”, row \(number), is another one"
        }
        for (slot, description) in entity.slots.enumerated()
        where source.schema.columns[row.layoutIndex][slot] != nil
            && target.schema.columns[row.layoutIndex][slot] != nil
            && !isSame(row, other, at: slot, kind: description.kind)
        {
            return "“\(entity.name).\(description.name)”, row \(number), has another value"
        }
        return nil
    }

    private func isSame(_ row: Snapshot, _ other: Snapshot, at slot: Int, kind: SlotKind) -> Bool {
        if row.isNull(slot) || other.isNull(slot) { return row.isNull(slot) == other.isNull(slot) }
        switch kind {
        case .integer, .boolean, .reference, .entityNumber, .order: return row.int(slot) == other.int(slot)
        case .double: return row.double(slot) == other.double(slot)
        case .float: return Float(row.double(slot)) == Float(other.double(slot))
        // A database may store dates in microseconds.
        case .date:
            return row.double(slot) == other.double(slot)
                || (row.double(slot) * 1_000_000).rounded() == (other.double(slot) * 1_000_000).rounded()
        // A SQLite file stores the number as a double.
        case .decimal:
            let (first, second) = (row.decimal(slot), other.decimal(slot))
            return first == second || first.isNaN && second.isNaN
                || NSDecimalNumber(decimal: first).doubleValue == NSDecimalNumber(decimal: second).doubleValue
        case .string, .uri, .data, .transformable, .uuid:
            return row.bytes(slot).elementsEqual(other.bytes(slot))
        }
    }
}
