import Foundation

extension MigrationPlanner {
    // MARK: Checks

    /// Adds the checks for rows that the destination's model does not allow. They run before the migration changes
    /// anything.
    mutating func addChecks() {
        for change in tables {
            guard let source = change.source else { continue }
            var checks: [(key: String, check: MigrationCheck, numbers: [Int], test: SQLExpression?)] = []
            func note(
                _ entity: EntityLayout, property: String?, column: String, test: SQLExpression?, number: Int,
                reason: MigrationCheck.Reason
            ) {
                let key = "\(property ?? "")/\(column)/\(reason)"
                if let place = checks.firstIndex(where: { $0.key == key && $0.test == test }) {
                    checks[place].numbers.append(number)
                    return
                }
                let check = MigrationCheck(
                    entity: entity.name, property: property, table: source.name, column: column,
                    condition: .alwaysTrue, reason: reason)
                checks.append((key, check, [number], test))
            }
            for member in change.members {
                let entity = difference.destination.entities[member.layout]
                let origin = difference.source.entities[difference.sourceOf[member.layout] ?? 0]
                if entity.entity.isAbstract {
                    if !origin.entity.isAbstract {
                        note(
                            entity, property: nil, column: SQLSchema.keyColumn, test: nil, number: member.old,
                            reason: .abstractEntity)
                    }
                    continue
                }
                for (number, slot) in entity.slots.enumerated() {
                    guard let name = new.columns[member.layout][number],
                        let column = change.columns.first(where: { $0.column.name == name }),
                        let piece = column.pieces[member.layout]
                    else { continue }
                    checkSlot(slot, piece: piece, entity: entity) { test, column, reason in
                        note(
                            entity, property: slot.name, column: column, test: test, number: member.old, reason: reason)
                    }
                    if let test = leadsToRemoved(number, piece, entity) {
                        note(
                            entity, property: slot.name, column: SQLSchema.keyColumn, test: test, number: member.old,
                            reason: .removedDestination)
                    }
                }
            }
            for (_, check, numbers, test) in checks {
                var check = check
                let isEverybody =
                    Set(numbers) == Set(change.members.map(\.old)) && !change.isPartOfSource
                    && removed.isDisjoint(with: oldNumbers(in: source.name))
                var conditions = test.map { [$0] } ?? []
                if !isEverybody {
                    conditions.append(
                        .isIn(.column(alias: nil, name: SQLSchema.entityColumn), numbers.map { .number($0) }))
                }
                check.condition = conditions.count == 1 ? conditions[0] : .and(conditions)
                // Without a test the first row ends the search.
                add(.check(check), rows: test == nil ? 0 : rows(source.name))
            }
        }
        addInverseChecks()
        addPairChecks()
        addConfigurationChecks()
    }

    /// The condition for rows whose mandatory to-one relationship leads to an object of a removed entity, which the
    /// migration deletes.
    private func leadsToRemoved(
        _ number: Int, _ piece: TableChange.Piece, _ entity: EntityLayout
    ) -> SQLExpression? {
        guard case .toOne(let relationship, _) = entity.slots[number].role, !relationship.isOptional,
            case .carried(let column, _, _) = piece,
            let link = link(number, of: entity), let originIndex = difference.sourceOf[entity.index],
            case .toOne(let source, _) = difference.source.entities[originIndex].slots[link].role,
            let target = source.destinationEntity.flatMap({ difference.source.layout(of: $0) }),
            let table = oldTable(of: target.index)
        else { return nil }
        let gone = removed.intersection(target.subtree.compactMap { old.numbers[$0] }).sorted()
        if gone.isEmpty { return nil }
        return .exists(
            SQLSelect(
                results: [.init(expression: .number(1), name: nil)], table: table, alias: "gone",
                condition: .and([
                    .binary(
                        .equal, .column(alias: "gone", name: SQLSchema.keyColumn),
                        .column(alias: "checked", name: column)),
                    .isIn(.column(alias: "gone", name: SQLSchema.entityColumn), gone.map { .number($0) }),
                ])))
    }

    /// Refuses to lose objects of an entity that now belongs to another configuration, because no step moves them to
    /// the store of that configuration.
    private mutating func addConfigurationChecks() {
        for entity in difference.source.entities where difference.destinationOf[entity.index] == nil {
            guard let number = old.numbers[entity.index], let table = oldTable(of: entity.index),
                !entity.entity.isAbstract,
                difference.destination.entities.contains(where: { other in
                    new.numbers[other.index] == nil
                        && (other.name == entity.name || other.entity.renamingIdentifier == entity.name)
                })
            else { continue }
            // In the table of one entity the number in a row has no meaning.
            let isSole = old.soleLayout(ofRoot: entity.rootIndex, in: difference.source) != nil
            let condition = SQLExpression.isIn(.column(alias: nil, name: SQLSchema.entityColumn), [.number(number)])
            add(
                .check(
                    MigrationCheck(
                        entity: entity.name, property: nil, table: table, column: SQLSchema.keyColumn,
                        condition: isSole ? .alwaysTrue : condition, reason: .otherConfiguration)))
        }
    }

    func oldNumbers(in table: String) -> Set<Int> {
        var numbers: Set<Int> = []
        for entity in difference.source.entities
        where old.table(ofRoot: entity.rootIndex)?.name == table {
            if let number = old.numbers[entity.index] { numbers.insert(number) }
        }
        return numbers
    }

    private func checkSlot(
        _ slot: Slot, piece: TableChange.Piece, entity: EntityLayout,
        note: (_ test: SQLExpression?, _ column: String, MigrationCheck.Reason) -> Void
    ) {
        switch slot.role {
        case .attribute(let attribute):
            let source = sourceAttribute(of: slot, in: entity)
            if !attribute.isOptional, !(attribute is NSDerivedAttributeDescription) {
                switch piece {
                case .empty: note(nil, SQLSchema.keyColumn, .missingAttribute)
                case .carried(let column, _, default: nil) where source?.isOptional == true:
                    note(.isNull(.column(alias: nil, name: column)), SQLSchema.keyColumn, .missingAttribute)
                case .carried, .constant, .number: break
                }
            }
            guard let source, let conversion = AttributeConversion(from: source, to: attribute),
                case .carried(let name, let form, _) = piece
            else { return }
            let column = SQLExpression.column(alias: nil, name: name)
            if conversion.limit == .numbers {
                let isNaN = SQLExpression.binary(.equal, column, .value(.string(DecimalStorage.notANumber)))
                note(isNaN, name, .unfitValue(type: attribute.attributeType.readableName))
            }
            if conversion.limit == .decimals {
                let isInside = SQLExpression.between(
                    column, .value(.double(-DecimalStorage.largest)), .value(.double(DecimalStorage.largest)))
                note(
                    .and([.isNotNull(column), .not(isInside)]), name,
                    .unfitValue(type: attribute.attributeType.readableName))
            }
            guard case .integers(let range) = conversion.limit else { return }
            let isInside = SQLExpression.between(
                column, .value(.int(range.lowerBound)), .value(.int(range.upperBound)))
            // An operation on bits makes a 64-bit integer of its operand. A function would make a double.
            let test =
                form == .integer
                ? SQLExpression.or([.not(isInside), .binary(.notEqual, column, .binary(.bitOr, column, .number(0)))])
                : .not(isInside)
            note(.and([.isNotNull(column), test]), name, .unfitValue(type: attribute.attributeType.readableName))
        case .toOne(let relationship, _):
            guard !relationship.isOptional else { return }
            switch piece {
            case .empty where inverseFill(relationship) == nil: note(nil, SQLSchema.keyColumn, .missingRelationship)
            case .carried(let column, _, _):
                let source = difference.properties[entity.index][relationship.name] as? NSRelationshipDescription
                if source?.isOptional != false {
                    note(.isNull(.column(alias: nil, name: column)), SQLSchema.keyColumn, .missingRelationship)
                }
            default: break
            }
        case .companion, .order, .owner:
            return
        }
    }

    // MARK: Rows of entities that are removed

    /// Deletes the rows of removed entities whose table stays, and clears references to them.
    mutating func addCleaning() {
        for table in Set(tables.compactMap(\.source?.name)).sorted() {
            let gone = removed.intersection(oldNumbers(in: table)).sorted()
            guard !gone.isEmpty else { continue }
            addClearedKeys(to: table, gone)
            for join in joins {
                guard let source = join.source, let pairs = join.pairs else { continue }
                if join.ownerTarget.map({ oldTable(of: $0) }) == table {
                    add(
                        .deletePairs(table: source, column: pairs.owner, target: table, numbers: gone),
                        rows: rows(source))
                }
                if join.memberTarget.map({ oldTable(of: $0) }) == table {
                    add(
                        .deletePairs(table: source, column: pairs.member, target: table, numbers: gone),
                        rows: rows(source))
                }
            }
            add(.deleteRows(table: table, numbers: gone), rows: rows(table))
        }
    }

    func oldTable(of layout: Int) -> String? {
        old.table(ofRoot: difference.source.entities[layout].rootIndex)?.name
    }

    private mutating func addClearedKeys(to target: String, _ gone: [Int]) {
        var done: Set<String> = []
        for entity in difference.source.entities {
            guard difference.destinationOf[entity.index] != nil, let table = oldTable(of: entity.index) else {
                continue
            }
            for (number, slot) in entity.slots.enumerated() {
                guard let column = old.columns[entity.index][number] else { continue }
                let leadsTo: NSEntityDescription?
                switch slot.role {
                case .toOne(let relationship, _): leadsTo = relationship.destinationEntity
                case .owner(let relationship): leadsTo = relationship.entity
                case .attribute, .companion, .order: leadsTo = nil
                }
                guard let leadsTo, let layout = difference.source.layout(of: leadsTo),
                    oldTable(of: layout.index) == target,
                    !removed.isDisjoint(with: layout.subtree.compactMap { old.numbers[$0] }),
                    done.insert("\(table).\(column)").inserted
                else { continue }
                let companions = [companion(of: number, in: entity), order(of: number, in: entity)]
                    .compactMap { $0.flatMap { old.columns[entity.index][$0] } }
                add(
                    .clearKeys(
                        table: table, columns: [column] + companions, key: column, target: target, numbers: gone),
                    rows: 0)
            }
        }
    }

    // MARK: Values that depend on other rows

    /// Fills in the entities of destinations, positions in lists, and other sides of one-to-one relationships that did
    /// not exist before.
    mutating func addLookUps() {
        for change in tables where !change.members.isEmpty {
            var done: Set<String> = []
            for member in change.members {
                let entity = difference.destination.entities[member.layout]
                for (number, slot) in entity.slots.enumerated() {
                    guard let name = new.columns[member.layout][number], !done.contains(name),
                        let column = change.columns.first(where: { $0.column.name == name }), column.sources.isEmpty
                    else { continue }
                    switch slot.role {
                    case .companion(let key):
                        guard let keyColumn = new.columns[member.layout][key], link(key, of: entity) != nil,
                            case .toOne(let relationship, _) = entity.slots[key].role,
                            let target = relationship.destinationEntity.flatMap({
                                difference.destination.layout(of: $0)
                            }),
                            let table = new.table(ofRoot: target.rootIndex)?.name
                        else { continue }
                        done.insert(name)
                        add(
                            .fillEntity(table: change.table.name, column: name, key: keyColumn, target: table),
                            rows: change.source?.rows ?? 0)
                    case .order(let key):
                        guard let keyColumn = new.columns[member.layout][key], link(key, of: entity) != nil else {
                            continue
                        }
                        done.insert(name)
                        add(
                            .fillPositions(table: change.table.name, column: name, owner: keyColumn),
                            rows: change.source?.rows ?? 0)
                    case .toOne(let relationship, _):
                        guard link(number, of: entity) == nil, let fill = inverseFill(relationship) else { continue }
                        done.insert(name)
                        // If all rows belong to one entity, old migrations may have left numbers that no entity has.
                        let numbers =
                            change.soleNumber == nil
                            ? change.members.filter { new.columns[$0.layout].contains(name) }.map(\.new) : nil
                        add(
                            .fillInverse(
                                table: change.table.name, column: name, numbers: numbers, from: fill.table,
                                key: fill.column),
                            rows: change.source?.rows ?? 0)
                        if let companion = companion(of: number, in: entity).flatMap({ new.columns[member.layout][$0] })
                        {
                            done.insert(companion)
                            add(
                                .fillEntity(
                                    table: change.table.name, column: companion, key: name, target: fill.table),
                                rows: change.source?.rows ?? 0)
                        }
                    case .attribute, .owner:
                        continue
                    }
                }
            }
        }
    }

    /// The existing key for which a new to-one relationship is the other side; nil if there is none.
    private func inverseFill(_ relationship: NSRelationshipDescription) -> (table: String, column: String)? {
        guard let inverse = relationship.inverseRelationship, !inverse.isToMany,
            difference.source(of: relationship) == nil, !difference.succeedsToMany(relationship),
            let source = difference.source(of: inverse), !source.isToMany,
            let holder = difference.destination.layout(of: inverse.entity),
            let slot = holder.slots.firstIndex(where: { slot in
                if case .toOne(let held, _) = slot.role { held === inverse } else { false }
            }), let column = new.columns[holder.index][slot], let table = new.table(ofRoot: holder.rootIndex)?.name
        else { return nil }
        return (table, column)
    }

    /// Adds the checks for new to-one inverses, which can only lead back to one object.
    private mutating func addInverseChecks() {
        for entity in difference.destination.entities where difference.sourceOf[entity.index] != nil {
            for case let relationship as NSRelationshipDescription in entity.entity.ownProperties
            where !relationship.isToMany && inverseFill(relationship) != nil {
                guard let inverse = relationship.inverseRelationship,
                    let source = difference.source(of: inverse),
                    let holder = difference.source.layout(of: source.entity),
                    let table = oldTable(of: holder.index),
                    let slot = holder.slots.firstIndex(where: { slot in
                        if case .toOne(let held, _) = slot.role { held === source } else { false }
                    }), let column = old.columns[holder.index][slot]
                else { continue }
                addAmbiguityCheck(of: relationship, table, column)
            }
        }
    }

    /// Adds the check for two objects that lead to the same object by a key. The other side of the key is a
    /// relationship that can only lead back to one of them.
    mutating func addAmbiguityCheck(of relationship: NSRelationshipDescription, _ table: String, _ column: String) {
        let other = SQLSelect(
            results: [.init(expression: .number(1), name: nil)], table: table, alias: "other",
            condition: .and([
                .binary(.equal, .column(alias: "other", name: column), .column(alias: "checked", name: column)),
                .binary(
                    .notEqual, .column(alias: "other", name: SQLSchema.keyColumn),
                    .column(alias: "checked", name: SQLSchema.keyColumn)),
            ]))
        add(
            .check(
                MigrationCheck(
                    entity: relationship.entity.name ?? "", property: relationship.name, table: table, column: column,
                    condition: .exists(other), reason: .ambiguousInverse)), rows: rows(table))
    }
}
