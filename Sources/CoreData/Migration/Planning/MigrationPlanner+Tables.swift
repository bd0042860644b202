import Foundation

extension MigrationPlanner {
    /// Finds the table from which every entity table takes its rows, and the source of every column.
    mutating func planTables() {
        for root in difference.destination.entities where root.superIndex == nil {
            guard let table = new.table(ofRoot: root.index) else { continue }
            var members: [TableChange.Member] = []
            var source: String?
            var soleNumber: Int?
            for index in root.subtree {
                guard let number = new.numbers[index], let origin = difference.sourceOf[index],
                    let oldNumber = old.numbers[origin]
                else { continue }
                let from = difference.source.entities[origin]
                source = source ?? old.table(ofRoot: from.rootIndex)?.name
                if old.soleLayout(ofRoot: from.rootIndex, in: difference.source) != nil { soleNumber = number }
                members.append(
                    TableChange.Member(
                        layout: index, old: oldNumber, new: number,
                        oldColumns: Set(old.columns[origin].compactMap { $0 })))
            }
            var change = TableChange(
                root: root.index, table: table, source: source.flatMap { catalog.tables[$0] }, members: members,
                columns: table.columns.dropFirst(3).map { TableChange.Column(column: $0) })
            change.soleNumber = soleNumber
            change.distinguishesEntities = new.soleLayout(ofRoot: root.index, in: difference.destination) == nil
            fillPieces(of: &change)
            tables.append(change)
        }
    }

    private func fillPieces(of change: inout TableChange) {
        var places: [String: Int] = [:]
        for (place, column) in change.columns.enumerated() { places[column.column.name] = place }
        for member in change.members {
            let entity = difference.destination.entities[member.layout]
            for slot in entity.slots.indices {
                guard let name = new.columns[member.layout][slot], let place = places[name] else { continue }
                change.columns[place].pieces[member.layout] = piece(slot, of: entity)
            }
        }
    }

    // MARK: Sources of a slot's values

    private func piece(_ number: Int, of entity: EntityLayout) -> TableChange.Piece {
        guard let originIndex = difference.sourceOf[entity.index] else { return .empty }
        let origin = difference.source.entities[originIndex]
        let columns = old.columns[originIndex]
        switch entity.slots[number].role {
        case .attribute(let attribute):
            let source = sourceAttribute(of: entity.slots[number], in: entity)
            let defaultValue = defaultValue(of: attribute, slot: number, in: entity)
            guard let source, let conversion = AttributeConversion(from: source, to: attribute),
                let name = sourceSlot(of: entity.slots[number], in: entity).flatMap({ columns[$0] })
            else { return defaultValue.map { .constant($0) } ?? .empty }
            return .carried(
                name, conversion.form, default: source.isOptional && !attribute.isOptional ? defaultValue : nil)
        case .toOne, .owner:
            return link(number, of: entity).flatMap { columns[$0] }.map { .carried($0, .same, default: nil) } ?? .empty
        case .companion(let key):
            guard let link = link(key, of: entity) else { return .empty }
            return companion(of: link, in: origin).flatMap { columns[$0] }.map { .number($0) } ?? .empty
        case .order(let key):
            guard let link = link(key, of: entity) else { return .empty }
            return order(of: link, in: origin).flatMap { columns[$0] }.map { .carried($0, .same, default: nil) }
                ?? .empty
        }
    }

    /// The slot of the source entity from which an attribute's slot, or the slot of a composite's element, takes its
    /// values.
    private func sourceSlot(of slot: Slot, in entity: EntityLayout) -> Int? {
        guard case .attribute(let attribute) = slot.role, let originIndex = difference.sourceOf[entity.index] else {
            return nil
        }
        let origin = difference.source.entities[originIndex].slots
        let properties = difference.properties[entity.index]
        guard let composite = slot.composite else {
            let former = properties[attribute.name]
            return origin.firstIndex { slot in
                if case .attribute(let held) = slot.role { slot.composite == nil && held === former } else { false }
            }
        }
        guard let former = properties[composite.name] as? NSCompositeAttributeDescription,
            let path = difference.formerPath(of: slot.elementPath[...], in: composite, from: former)
        else { return nil }
        return origin.firstIndex { $0.composite === former && $0.elementPath == path }
    }

    /// The attribute of the source from which such a slot takes its values.
    func sourceAttribute(of slot: Slot, in entity: EntityLayout) -> NSAttributeDescription? {
        guard let originIndex = difference.sourceOf[entity.index], let number = sourceSlot(of: slot, in: entity),
            case .attribute(let attribute) = difference.source.entities[originIndex].slots[number].role
        else { return nil }
        return attribute
    }

    private func defaultValue(of attribute: NSAttributeDescription, slot: Int, in entity: EntityLayout) -> SlotValue? {
        Self.storedDefault(of: attribute, as: entity.slots[slot].kind)
    }

    /// The default value as the column holds it; nil if there is none.
    static func storedDefault(of attribute: NSAttributeDescription, as kind: SlotKind) -> SlotValue? {
        guard let value = attribute.defaultValue else { return nil }
        let converted =
            kind == .transformable
            ? (try? TransformableCoding.data(from: value, of: attribute)).map { SlotValue.data($0) }
            : SlotValue(value, as: kind)
        guard let converted, !converted.isNull else { return nil }
        // A column of floating-point numbers has no NaN: rows of a mandatory attribute have no value then, which is
        // refused.
        if case .double(let number) = converted, number.isNaN { return nil }
        return attribute.allowsExternalBinaryDataStorage ? converted.tagged(true) : converted
    }

    /// Adds or removes the tag of external storage in copied default values. Where rows are copied, values get or lose
    /// the tag after the copy, so the defaults in them must be in the old form.
    mutating func adjustTagsOfDefaults() {
        for place in tables.indices where tables[place].isRewritten {
            for number in tables[place].columns.indices {
                for (layout, piece) in tables[place].columns[number].pieces {
                    guard case .carried(let name, let form, let value?) = piece,
                        let tagged = retagging(of: tables[place].columns[number].column.name, layout)
                    else { continue }
                    tables[place].columns[number].pieces[layout] = .carried(name, form, default: value.tagged(!tagged))
                }
            }
        }
    }

    /// Whether the values of a column get the tag (true) or lose it; nil if neither.
    private func retagging(of column: String, _ layout: Int) -> Bool? {
        let entity = difference.destination.entities[layout]
        guard let slot = new.columns[layout].firstIndex(of: column),
            case .attribute(let attribute) = entity.slots[slot].role,
            let source = sourceAttribute(of: entity.slots[slot], in: entity)
        else { return nil }
        return new.tagsExternalValues ? AttributeConversion(from: source, to: attribute)?.tag : nil
    }

    /// The slot of the source entity that holds the same links as a key of the destination entity.
    func link(_ number: Int, of entity: EntityLayout) -> Int? {
        guard let originIndex = difference.sourceOf[entity.index] else { return nil }
        let origin = difference.source.entities[originIndex]
        func toOne(_ relationship: NSRelationshipDescription?) -> Int? {
            origin.slots.firstIndex { slot in
                if case .toOne(let held, _) = slot.role { held === relationship } else { false }
            }
        }
        func owner(_ relationship: NSRelationshipDescription?) -> Int? {
            origin.slots.firstIndex { slot in
                if case .owner(let held) = slot.role { held === relationship } else { false }
            }
        }
        /// The key that holds the links of a to-many relationship of the source.
        func key(of toMany: NSRelationshipDescription?) -> Int? {
            guard let toMany, toMany.isToMany else { return nil }
            return toMany.inverseRelationship == nil ? owner(toMany) : toOne(toMany.inverseRelationship)
        }
        switch entity.slots[number].role {
        case .toOne(let relationship, _):
            // The list has the order. Earlier steps have put links that only this side held into the keys.
            if let list = relationship.inverseRelationship, list.isToMany, difference.isPairedAnew(relationship),
                let source = difference.source(of: list), source.isToMany, source.inverseRelationship == nil
            {
                return owner(source)
            }
            if let source = difference.properties[entity.index][relationship.name] as? NSRelationshipDescription {
                return toOne(source)
            }
            return relationship.inverseRelationship.flatMap { key(of: difference.source(of: $0)) }
        case .owner(let relationship):
            return key(of: difference.source(of: relationship))
        case .attribute, .companion, .order:
            return nil
        }
    }

    func companion(of link: Int, in entity: EntityLayout) -> Int? {
        entity.slots.firstIndex { slot in
            if case .companion(let key) = slot.role { key == link } else { false }
        }
    }

    func order(of link: Int, in entity: EntityLayout) -> Int? {
        entity.slots.firstIndex { slot in
            if case .order(let key) = slot.role { key == link } else { false }
        }
    }

    // MARK: Alter or copy

    /// Decides for every table whether it is altered or copied. SQLite's ALTER TABLE costs nothing for new columns and
    /// new names, and one pass over the table for each dropped column. A copy costs about as much as four such passes.
    mutating func decideRewrites() {
        var users: [String: Int] = [:]
        for change in tables { if let source = change.source { users[source.name, default: 0] += 1 } }
        for place in tables.indices {
            guard let source = tables[place].source else { continue }
            let used = Set(tables[place].columns.flatMap(\.sources))
            let known = old.entityTables.first { $0.name == source.name }?.columns.dropFirst(3).map(\.name) ?? []
            tables[place].dropped = known.filter { name in
                source.column(name) != nil && !used.contains { Self.same($0, name) }
            }
            tables[place].isPartOfSource = (users[source.name] ?? 0) > 1
            tables[place].isRewritten = mustRewrite(tables[place], source, used: used)
        }
    }

    /// Whether a column of the file has a type; the length of a text is no part of it.
    func isOfType(_ type: SQLColumnType, _ column: StoreCatalog.Column?) -> Bool {
        column.map { String($0.type.prefix { $0 != "(" }) } == dialect.name(of: type)
    }

    private func mustRewrite(_ change: TableChange, _ source: StoreCatalog.Table, used: Set<String>) -> Bool {
        if change.isPartOfSource { return true }
        var seen: Set<String> = []
        for column in change.columns {
            let sources = column.sources
            if sources.count > 1 { return true }
            if !dialect.changesTypes,
                column.pieces.values.contains(where: { piece in
                    if case .carried(_, let form, _) = piece { form != .same } else { false }
                })
            {
                return true
            }
            guard let name = sources.first else { continue }
            if !seen.insert(name.uppercased()).inserted { return true }
            if !dialect.changesTypes, !isOfType(column.column.type, source.column(name)) { return true }
        }
        if dialect.changesTypes { return false }
        let added = change.columns.contains { $0.sources.isEmpty }
        let renamed = change.columns.contains { column in
            column.sources.first.map { !Self.same($0, column.column.name) } ?? false
        }
        if source.hasConstraints, added || renamed || !change.dropped.isEmpty { return true }
        let updates = change.updateAssignments(moves: moves)
        return change.dropped.count + (updates.contains { $0.condition == nil } ? 1 : 0) >= 4
    }
}
