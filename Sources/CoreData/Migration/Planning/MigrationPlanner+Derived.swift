import Foundation

extension MigrationPlanner {
    /// Computes derived attributes that are new, or derived otherwise than before, for the existing rows.
    ///
    /// This step is the last one, because the tables must be those of the destination already. A derivation that has no
    /// translation is left to the opening of the store, which refuses the model.
    mutating func addDerivedValues() {
        for place in DerivationOrder.places(in: difference.destination) {
            let (entity, expression) = (place.entity, place.expression)
            guard let change = tables.first(where: { $0.root == entity.rootIndex && $0.source != nil }),
                let column = new.columns[entity.index][place.slot]
            else { continue }
            let members = change.members.filter { entity.subtree.contains($0.layout) }
            let isKept = members.allSatisfy { member in
                let layout = difference.destination.entities[member.layout]
                let source = sourceAttribute(of: entity.slots[place.slot], in: layout) as? NSDerivedAttributeDescription
                return source?.derivationExpression?.description == expression.description
                    && readsTheSame(expression, in: layout)
            }
            guard !isKept,
                let step = step(for: expression, column: column, entity: entity, members: members, change: change)
            else { continue }
            add(step, rows: change.source?.rows ?? 0)
        }
    }

    /// Whether an expression of an entity's objects reads what it read before: the same properties under the same
    /// names, none with other values than before.
    private func readsTheSame(
        _ expression: NSExpression, in entity: EntityLayout, _ readers: Set<ObjectIdentifier> = []
    ) -> Bool {
        expression.keyPaths.allSatisfy { readsTheSame(KeyValuePath($0).keys[...], in: entity, readers) }
    }

    private func readsTheSame(
        _ path: ArraySlice<String>, in entity: EntityLayout, _ readers: Set<ObjectIdentifier>
    ) -> Bool {
        // An entity without rows has no value that could be out of date.
        guard let name = path.first, difference.sourceOf[entity.index] != nil else { return true }
        if name.hasPrefix("@") { return readsTheSame(path.dropFirst(), in: entity, readers) }
        guard let property = entity.entity.propertiesByName[name],
            let source = difference.properties[entity.index][name], source.name == name
        else { return false }
        switch (source, property) {
        case (let source as NSDerivedAttributeDescription, let derived as NSDerivedAttributeDescription):
            // An attribute that reads itself, perhaps through other derived attributes, has no value to keep.
            guard let expression = derived.derivationExpression, !readers.contains(ObjectIdentifier(derived)),
                source.derivationExpression?.description == expression.description
            else { return false }
            return source.attributeType == derived.attributeType
                && readsTheSame(expression, in: entity, readers.union([ObjectIdentifier(derived)]))
        case (let source as NSCompositeAttributeDescription, let composite as NSCompositeAttributeDescription):
            return difference.elements(of: composite, from: source).allSatisfy { element, former in
                former.map { $0.name == element.name && keepsValues($0, element) } ?? false
            }
        case (let source as NSAttributeDescription, let attribute as NSAttributeDescription):
            return keepsValues(source, attribute)
        case (let source as NSRelationshipDescription, let relationship as NSRelationshipDescription):
            guard let former = source.destinationEntity.flatMap({ difference.source.layout(of: $0) }),
                let target = relationship.destinationEntity.flatMap({ difference.destination.layout(of: $0) }),
                removed.isDisjoint(with: former.subtree.compactMap { old.numbers[$0] }),
                !difference.isPairedAnew(relationship),
                (source.inverseRelationship === source) == (relationship.inverseRelationship === relationship)
            else { return false }
            return target.subtree.allSatisfy {
                readsTheSame(path.dropFirst(), in: difference.destination.entities[$0], readers)
            }
        default:
            return false
        }
    }

    /// Whether no row gets another value.
    private func keepsValues(_ source: NSAttributeDescription, _ attribute: NSAttributeDescription) -> Bool {
        source.attributeType == attribute.attributeType
            && !(source.isOptional && !attribute.isOptional && attribute.defaultValue != nil)
    }

    private func step(
        for expression: NSExpression, column: String, entity: EntityLayout, members: [TableChange.Member],
        change: TableChange
    ) -> MigrationStep? {
        let translator = SQLFetchTranslator(schema: new, layout: entity, storeNumber: 0)
        guard let frame = try? translator.frame(includesSubentities: true),
            let operand = try? translator.operand(expression, in: frame),
            let (value, _) = try? translator.single(operand, expression)
        else { return nil }
        frame.select.results = [SQLSelect.Result(expression: value)]
        let table = frame.select.table
        let numbers = members.count < change.members.count ? members.map(\.new) : nil
        do {
            if let clientDerivation = try ClientDerivation(
                value, frame.select, key: frame.key, column: column, missing: dialect.missingFunctions)
            {
                return .deriveOnClient(table: table, column: column, numbers: numbers, clientDerivation)
            }
        } catch {
            return nil
        }
        frame.addCondition(.binary(.equal, frame.key, .column(alias: table, name: SQLSchema.keyColumn)))
        // In a database with types, a single value such as the time of the planning has a type other than text.
        let assigned = if case .value = value { value } else { SQLExpression.scalar(frame.select) }
        let statement = SQLStatement.update(
            SQLUpdate(table, [.init(column, assigned)], where: numbers.map { .isEntity($0) }))
        return .fillDerived(table: table, column: column, statement)
    }
}
