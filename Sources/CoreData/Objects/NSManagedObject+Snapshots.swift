import Foundation

// Rows as dictionaries: for merge conflicts, and for comparing refreshed objects.
extension NSManagedObject {
    /// The attributes and to-one ids of a row of this object's entity, by name; `NSNull` for nil.
    final func snapshotValues(of row: Snapshot) -> [String: Any] {
        let layout = binding.layout
        var values: [String: Any] = [:]
        for (slot, description) in layout.slots.enumerated() where description.isPersistent {
            switch description.role {
            case .attribute(let attribute):
                if description.kind == .transformable, !row.isNull(slot) {
                    values[description.name] =
                        TransformableCoding.object(from: row.data(slot), of: attribute) ?? NSNull()
                } else {
                    values[description.name] =
                        row.value(slot, kind: description.kind).boxed(as: description.kind) ?? NSNull()
                }
            case .toOne:
                values[description.name] = row.reference(at: slot, layout).map(identifier) ?? NSNull()
            case .companion, .order, .owner: break
            }
        }
        return values
    }

    /// The object's present attributes and to-one ids by name, with its unsaved changes; `NSNull` for nil.
    final func currentSnapshotValues() -> [String: Any] {
        var values: [String: Any] = [:]
        for (slot, description) in binding.layout.slots.enumerated() where description.isPersistent {
            switch description.role {
            case .attribute: values[description.name] = boxedValue(at: slot) ?? NSNull()
            case .toOne: values[description.name] = reference(at: slot).map(identifier) ?? NSNull()
            case .companion, .order, .owner: break
            }
        }
        return values
    }

    private func identifier(_ key: ObjectKey) -> Any {
        binding.context.map { $0.objectID(for: key) } ?? NSNull()
    }

    /// A row made of this object's and of the values of a dictionary as `snapshotValues(of:)` gives it.
    final func row(fromSnapshotValues values: [String: Any], version: Int32) -> Snapshot {
        let layout = binding.layout
        let changes = ObjectOverlay()
        for (slot, description) in layout.slots.enumerated() {
            guard description.isPersistent, let value = values[description.name] else { continue }
            switch description.role {
            case .attribute(let attribute):
                if description.kind == .transformable, !(value is NSNull) {
                    guard let data = try? TransformableCoding.data(from: value, of: attribute) else { continue }
                    changes.set(.data(data), at: slot)
                } else if let slotValue = SlotValue(value, as: description.kind) {
                    changes.set(slotValue, at: slot)
                }
            case .toOne(_, let companion):
                let key = (value as? NSManagedObjectID)?.objectKey
                changes.set(key.map { .int($0.key) } ?? .null, at: slot)
                if let companion {
                    changes.set(key.map { .int(Int64($0.layoutIndex)) } ?? .null, at: companion)
                }
            case .companion, .order, .owner: break
            }
        }
        return Self.row(from: firedRow(), changes: changes, layout, key: key, version: version, renaming: [:])
    }

    /// The object's key under its root entity, which does not depend on its concrete entity.
    final var rootKey: ObjectKey { ObjectKey(layoutIndex: binding.layout.rootIndex, key: key) }
}
