import Foundation

/// An operand of a predicate whose key path has been translated.
package enum SQLOperand {
    /// A single value, with the kind of its attribute.
    case value(SQLExpression, SlotKind?)
    /// A reference to a row: its key, its entity, and the column of its concrete entity.
    case object(SQLExpression, EntityLayout, entity: SQLExpression?)
    /// The concrete entity of a row.
    case entity(SQLExpression)
    /// A collection: the members of a to-many relationship, filtered, and the path that continues from each.
    case members(SQLMembers)
    /// A value from outside the store.
    case constant(ExpressionValue)

    /// Whether the operand is a column of archived objects.
    package var isArchive: Bool {
        if case .value(_, .transformable) = self { true } else { false }
    }
}

/// The members of a to-many relationship of the rows of a frame. Their SELECT is made when its purpose is known.
package struct SQLMembers {
    package let outer: SQLFrame
    /// The key of the owner.
    package let owner: SQLExpression
    package let ownerLayout: EntityLayout
    package let toMany: ToManySlot
    /// The rest of the key path after the relationship.
    package var rest: [String]
    /// The variable of a SUBQUERY, and the predicate that its members must fulfil.
    package var narrowing: (variable: String, predicate: NSPredicate)?
}

extension SQLFetchTranslator {
    // MARK: Key paths

    /// Follows a key path from the rows of a frame.
    package func follow(_ keys: [String], in frame: SQLFrame) throws -> SQLOperand {
        if keys.count == 1, frame.layout.access[keys[0]] == nil, let named = frame.named[keys[0]] {
            return .value(named, nil)
        }
        return try follow(
            keys[...], frame: frame, alias: frame.alias, layout: frame.layout, path: keys.joined(separator: "."))
    }

    private func follow(
        _ keys: ArraySlice<String>, frame: SQLFrame, alias: String, layout: EntityLayout, path: String
    ) throws -> SQLOperand {
        func column(_ slot: Int) throws -> String {
            guard let name = schema.column(layout: layout.index, slot: slot) else {
                throw Self.failure("the transient property “\(keys.first ?? "")” of \(layout.name) in “\(path)”")
            }
            return name
        }
        guard let key = keys.first else { return rowOperand(alias, layout) }
        let rest = keys.dropFirst()
        switch key {
        case "self", "SELF":
            return try follow(rest, frame: frame, alias: alias, layout: layout, path: path)
        case "objectID", "entity":
            guard layout.access[key] == nil else { break }
            guard rest.isEmpty else { throw Self.failure("keypath \(path) not found in entity \(layout.name)") }
            if key == "entity" { return .entity(.column(alias: alias, name: SQLSchema.entityColumn)) }
            return rowOperand(alias, layout)
        default:
            break
        }
        guard let access = layout.access[key] else {
            if rest.isEmpty, let lower = subentityColumn(key, layout) {
                return .value(.column(alias: alias, name: lower.column), lower.kind)
            }
            throw Self.failure("keypath \(path) not found in entity \(layout.name)")
        }
        switch access {
        case .attribute(let slot):
            guard rest.isEmpty else {
                throw Self.failure(
                    "“\(rest.joined(separator: "."))” of the attribute \(layout.name).\(key) in “\(path)”")
            }
            return .value(.column(alias: alias, name: try column(slot)), layout.slots[slot].kind)
        case .toOne(let slot):
            return try followToOne(
                slot, column: try column(slot), rest: rest, frame: frame, alias: alias, layout: layout, path: path)
        case .toMany(let index) where scope == .member && !rest.contains { $0.hasPrefix("@") }:
            let (joined, destination) = try joinMembers(layout.toManys[index], of: layout, alias, frame)
            return try follow(rest, frame: frame, alias: joined, layout: destination, path: path)
        case .toMany(let index):
            let members = SQLMembers(
                outer: frame, owner: .column(alias: alias, name: SQLSchema.keyColumn), ownerLayout: layout,
                toMany: layout.toManys[index], rest: Array(rest))
            return try finish(members)
        case .composite(let composite):
            guard let slot = composite.slot(at: rest) else {
                throw Self.failure("the composite attribute \(layout.name).\(key) as a whole in “\(path)”")
            }
            return .value(.column(alias: alias, name: try column(slot)), layout.slots[slot].kind)
        case .fetched:
            throw Self.failure("the fetched property \(layout.name).\(key) in “\(path)”")
        }
    }

    private func followToOne(
        _ slot: Int, column: String, rest: ArraySlice<String>, frame: SQLFrame, alias: String, layout: EntityLayout,
        path: String
    ) throws -> SQLOperand {
        guard case .toOne(let relationship, let companion) = layout.slots[slot].role,
            let destination = relationship.destinationEntity.flatMap({ layout.model.layout(of: $0) }),
            let table = schema.table(ofRoot: destination.rootIndex)?.name
        else { throw Self.failure("the relationship \(layout.name).\(layout.slots[slot].name) in “\(path)”") }
        // The key of the destination is in the row itself.
        if rest.isEmpty || rest == ["self"] || rest == ["SELF"] || rest == ["objectID"] {
            let entity = companion.flatMap { schema.column(layout: layout.index, slot: $0) }
                .map { SQLExpression.column(alias: alias, name: $0) }
            return .object(.column(alias: alias, name: column), destination, entity: entity)
        }
        let joined = frame.join(table: table, from: alias, column: column)
        return try follow(rest, frame: frame, alias: joined, layout: destination, path: path)
    }

    /// Joins the members of a relationship to the rows of an alias. A row without members is kept.
    private func joinMembers(
        _ toMany: ToManySlot, of layout: EntityLayout, _ alias: String, _ frame: SQLFrame
    ) throws -> (alias: String, layout: EntityLayout) {
        let destination = layout.model.entities[toMany.destinationIndex]
        guard let table = schema.table(ofRoot: destination.rootIndex)?.name else {
            throw Self.failure("the relationship \(toMany.relationship.name), whose entity is in another store")
        }
        switch toMany.kind {
        case .inverseKey(let slot, _), .ownerKey(let slot, _):
            guard let column = schema.column(layout: destination.index, slot: slot) else { break }
            return (
                frame.join(table: table, from: alias, column: SQLSchema.keyColumn, to: column), destination
            )
        case .join:
            guard let end = schema.joinEnds[layout.index][toMany.index] else { break }
            let pairs = frame.join(
                table: end.table, from: alias, column: SQLSchema.keyColumn, to: end.ownerColumn)
            return (frame.join(table: table, from: pairs, column: end.memberColumn), destination)
        case .transient: break
        }
        throw Self.failure("the relationship \(toMany.relationship.name)")
    }

    private func rowOperand(_ alias: String, _ layout: EntityLayout) -> SQLOperand {
        .object(
            .column(alias: alias, name: SQLSchema.keyColumn), layout,
            entity: .column(alias: alias, name: SQLSchema.entityColumn))
    }

    /// An attribute that only a subentity has. Its column is in the same table.
    private func subentityColumn(_ key: String, _ layout: EntityLayout) -> (column: String, kind: SlotKind)? {
        for index in layout.subtree.dropFirst() {
            let lower = layout.model.entities[index]
            guard case .attribute(let slot)? = lower.access[key],
                let column = schema.column(layout: index, slot: slot)
            else { continue }
            return (column, lower.slots[slot].kind)
        }
        return nil
    }

    // MARK: Collections

    /// A path that ends in a collection operator is a single value. Any other path stays a collection.
    package func finish(_ members: SQLMembers) throws -> SQLOperand {
        guard let place = members.rest.firstIndex(where: { $0.hasPrefix("@") }) else { return .members(members) }
        let name = members.rest[place]
        var inner = members
        // `rel.@sum.price` and `rel.price.@sum` mean the same.
        inner.rest.remove(at: place)
        switch name {
        case "@count":
            // The rest of the key path is ignored, as Apple documents: members without a value count, too.
            inner.rest.removeSubrange(place...)
            return valueIfOwned(try aggregate(.count, of: inner), inner)
        case "@sum": return valueIfOwned(try aggregate(.sum, of: inner), inner)
        case "@avg": return try aggregate(.average, of: inner)
        case "@min": return try aggregate(.min, of: inner)
        case "@max": return try aggregate(.max, of: inner)
        default: throw Self.failure("the collection operator \(name)")
        }
    }

    /// The value of a collection operator. If predicates are evaluated object by object, the members of a missing
    /// object have no value, not even a count of 0.
    private func valueIfOwned(_ operand: SQLOperand, _ members: SQLMembers) -> SQLOperand {
        guard decidesByObject, case .value(let value, let kind) = operand,
            case .column(let alias, _) = members.owner, alias != members.outer.alias
        else { return operand }
        return .value(.choice(.isNull(members.owner), .null, value), kind)
    }

    /// Count, sum, average, smallest or largest of the values of a path over the members.
    package func aggregate(
        _ function: SQLExpression.Function, of members: SQLMembers, distinct: Bool = false
    ) throws -> SQLOperand {
        let (frame, condition) = try open(members)
        if let condition { frame.addCondition(condition) }
        var kind: SlotKind? = .integer
        if function == .count, members.rest.isEmpty {
            frame.select.results = [SQLSelect.Result(expression: .countAll)]
        } else {
            switch try follow(members.rest, in: frame) {
            case .value(let expression, let valueKind):
                kind = AggregateExpression.Function(function)?.kind(of: valueKind) ?? valueKind
                frame.select.results = [
                    SQLSelect.Result(expression: .function(function, [expression], distinct: distinct))
                ]
            case .object(let key, _, _) where function == .count:
                frame.select.results = [SQLSelect.Result(expression: .function(.count, [key], distinct: distinct))]
            case .members(let further) where function == .count || !further.rest.isEmpty:
                // A path over two to-many relationships: the sum over the members of the values of each member's
                // members.
                guard function == .count || function == .sum else {
                    throw Self.failure("\(function.rawValue) over two to-many relationships")
                }
                guard case .value(let inner, let valueKind) = try aggregate(function, of: further) else {
                    throw Self.failure("\(function.rawValue) over two to-many relationships")
                }
                kind = valueKind
                frame.select.results = [SQLSelect.Result(expression: .function(.sum, [inner]))]
            default:
                throw Self.failure("\(function.rawValue) of \(members.toMany.relationship.name)")
            }
        }
        // The sum of no values is zero, as in memory.
        let scalar = SQLExpression.scalar(frame.select)
        let needsZero = function == .sum || function == .count
        return .value(needsZero ? .function(.coalesce, [scalar, .value(.int(0))]) : scalar, kind)
    }

    /// A nested frame over the members, and the condition of a SUBQUERY. The frame is already restricted to the owner.
    package func open(_ members: SQLMembers) throws -> (SQLFrame, SQLExpression?) {
        let destination = layout.model.entities[members.toMany.destinationIndex]
        guard let table = schema.table(ofRoot: destination.rootIndex)?.name else {
            throw Self.failure("the relationship \(members.toMany.relationship.name), whose entity is in another store")
        }
        let frame = members.outer.nested(destination, table: table, variable: members.narrowing?.variable)
        switch members.toMany.kind {
        case .inverseKey(let slot, _), .ownerKey(let slot, _):
            guard let column = schema.column(layout: destination.index, slot: slot) else {
                throw Self.failure("the relationship \(members.toMany.relationship.name)")
            }
            frame.addCondition(.binary(.equal, frame.column(column), members.owner))
        case .join:
            guard let end = schema.joinEnds[members.ownerLayout.index][members.toMany.index] else {
                throw Self.failure("the relationship \(members.toMany.relationship.name)")
            }
            frame.joinInner(table: end.table) { alias in
                .and([
                    .binary(.equal, .column(alias: alias, name: end.memberColumn), frame.key),
                    .binary(.equal, .column(alias: alias, name: end.ownerColumn), members.owner),
                ])
            }
        case .transient:
            throw Self.failure("the transient relationship \(members.toMany.relationship.name)")
        }
        guard let narrowing = members.narrowing else { return (frame, nil) }
        return (frame, try condition(narrowing.predicate, in: frame))
    }

    /// Whether there is a member for which a condition on the value of the path is true.
    package func exists(_ members: SQLMembers, _ body: (SQLOperand) throws -> SQLExpression) throws -> SQLExpression {
        let (frame, narrowing) = try open(members)
        let inner: SQLExpression
        switch try follow(members.rest, in: frame) {
        case .members(let further): inner = try exists(further, body)
        case let operand: inner = try body(operand)
        }
        if let narrowing { frame.addCondition(narrowing) }
        if inner != .alwaysTrue { frame.addCondition(inner) }
        frame.select.results = [SQLSelect.Result(expression: .value(.int(1)))]
        return .exists(frame.select)
    }

    package static func failure(_ part: String) -> NSError {
        .coreData(
            NSCoreDataError, reason: "unimplemented SQL generation for predicate: \(part)",
            userInfo: [NSError.untranslatablePartKey: part])
    }
}

extension NSError {
    fileprivate static let untranslatablePartKey = "untranslatablePart"

    /// The part of a fetch that has no SQL; nil for errors of other kinds.
    package var untranslatablePart: String? { userInfo[Self.untranslatablePartKey] as? String }
}
