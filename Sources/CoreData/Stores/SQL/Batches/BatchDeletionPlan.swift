import Foundation

/// The effects of deleting rows of one concrete entity on other rows, as columns.
package struct BatchDeletionPlan {
    /// A relationship of the deleted rows whose key is in these rows.
    package struct Outgoing {
        package let column: String
        /// The column of the concrete entity's number, if the destination has subentities.
        package let numberColumn: String?
        package let destination: EntityLayout
        package let relationship: NSRelationshipDescription
    }

    /// A relationship of the deleted rows whose key is in the rows at its other end.
    package struct Incoming {
        package let table: String
        package let rootIndex: Int
        package let column: String
        /// The column and its companions: number of the entity, place in the owner's list.
        package let columns: [String]
        /// The slot of the column's relationship in the rows at the other end; nil for a hidden one.
        package let slot: Int?
        /// Whether a row at the other end must have an owner.
        package let isMandatory: Bool
        package let relationship: NSRelationshipDescription
    }

    /// An end of a join table.
    package struct Pairs {
        package let end: SQLJoinEnd
        package let destination: EntityLayout
        package let relationship: NSRelationshipDescription
    }

    package let layout: EntityLayout
    package let table: String
    package let external: [RowWriter.Field]
    package private(set) var outgoing: [Outgoing] = []
    package private(set) var incoming: [Incoming] = []
    package private(set) var pairs: [Pairs] = []

    /// Whether the deletion of a row affects no other row and no file.
    package var concernsNothingElse: Bool {
        external.isEmpty && outgoing.isEmpty && incoming.isEmpty && pairs.isEmpty
    }

    package init(layout: EntityLayout, writer: RowWriter, schema: SQLSchema) {
        self.layout = layout
        table = writer.table
        external = writer.externalFields
        for (slot, description) in layout.slots.enumerated() {
            guard case .toOne(let relationship, let companion) = description.role, description.isPersistent,
                let column = schema.column(layout: layout.index, slot: slot), let index = description.destinationIndex
            else { continue }
            let destination = layout.model.entities[index]
            if relationship.deleteRule == .cascadeDeleteRule || relationship.deleteRule == .denyDeleteRule {
                outgoing.append(
                    Outgoing(
                        column: column,
                        numberColumn: companion.flatMap { schema.column(layout: layout.index, slot: $0) },
                        destination: destination, relationship: relationship))
            }
            if case .toOne(let inverse)? = description.inverse, relationship.deleteRule == .nullifyDeleteRule {
                addIncoming(relationship, destination: destination, slot: inverse, order: nil, schema: schema)
            }
        }
        for toMany in layout.toManys {
            let destination = layout.model.entities[toMany.destinationIndex]
            switch toMany.kind {
            case .inverseKey(let slot, let order), .ownerKey(let slot, let order):
                addIncoming(toMany.relationship, destination: destination, slot: slot, order: order, schema: schema)
            case .join:
                guard let end = schema.joinEnds[layout.index][toMany.index] else { continue }
                pairs.append(Pairs(end: end, destination: destination, relationship: toMany.relationship))
            case .transient:
                break
            }
        }
    }

    private mutating func addIncoming(
        _ relationship: NSRelationshipDescription, destination: EntityLayout, slot: Int, order: Int?, schema: SQLSchema
    ) {
        guard let table = schema.table(ofRoot: destination.rootIndex)?.name,
            let column = schema.column(layout: destination.index, slot: slot)
        else { return }
        var slots = [slot]
        var visible: Int?
        if case .toOne(_, let companion) = destination.slots[slot].role {
            visible = slot
            if let companion { slots.append(companion) }
        }
        if let order { slots.append(order) }
        incoming.append(
            Incoming(
                table: table, rootIndex: destination.rootIndex, column: column,
                columns: slots.compactMap { schema.column(layout: destination.index, slot: $0) }, slot: visible,
                isMandatory: relationship.inverseRelationship?.isOptional == false, relationship: relationship))
    }
}
