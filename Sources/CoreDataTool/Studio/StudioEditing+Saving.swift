import CoreData
import Foundation

// Saving the changes of the page, and the errors that prevent it.
extension StudioEditing {
    func save(_ policy: NSMergePolicy) throws -> JSON {
        if session.isFileAnother {
            throw StudioFailure(
                409, "another program has written or replaced the store's file; nothing was saved",
                details: ["Discard the changes: then the file is read anew."])
        }
        let names = context.insertedObjects.map { ($0, ObjectName.of($0.objectID)) }
        context.mergePolicy = policy
        defer { context.mergePolicy = NSMergePolicy.error }
        do {
            try context.save()
        } catch {
            throw failure(of: error as NSError)
        }
        session.noteFile()
        session.toldConflicts = []
        context.undoManager?.removeAllActions()
        for (object, name) in names { session.rename(name, object.objectID) }
        let ids = names.map { ($1, JSON.string(ObjectName.of($0.objectID))) }
        session.refresh()
        return answer(("ids", .object(ids)))
    }

    private func failure(of error: NSError) -> StudioFailure {
        if let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] {
            session.toldConflicts = Set(conflicts.map(ToldConflict.init))
            var failure = StudioFailure(409, "another program has changed what was changed here; nothing was saved")
            failure.members = [("conflicts", .array(conflicts.map(Self.json)))]
            return failure
        }
        if let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] {
            let lines = conflicts.map { conflict in
                let values = conflict.constraintValues.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                return "Another object has the \(values.joined(separator: ", ")), which is unique."
            }
            return StudioFailure(422, "nothing was saved: values that are unique are there twice", details: lines)
        }
        let errors = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        let failed = errors.compactMap { error in
            (error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject).map { (error, $0) }
        }
        guard !failed.isEmpty else { return StudioFailure(ToolError(error, at: session.store.shown)) }
        var failure = StudioFailure(
            422, "nothing was saved: \(failed.count == 1 ? "a value is" : "values are") not valid")
        failure.members = [
            (
                "validation",
                .array(
                    failed.map { error, object in
                        .object([
                            ("id", .string(ObjectName.of(object.objectID))),
                            ("label", .optional(ObjectLabel.short(object))),
                            ("key", .optional(error.userInfo[NSValidationKeyErrorKey] as? String)),
                            ("message", .string(error.localizedDescription)), ("isDeleted", .bool(object.isDeleted)),
                        ])
                    })
            )
        ]
        return failure
    }

    /// A conflict, value by value: as it was read, as the page has it, as the store has it.
    private static func json(_ conflict: NSMergeConflict) -> JSON {
        let object = conflict.sourceObject
        let mine = object.changedValues()
        let theirs = conflict.persistedSnapshot ?? conflict.cachedSnapshot ?? [:]
        let base = conflict.objectSnapshot ?? [:]
        func text(_ value: Any?) -> JSON {
            switch value {
            case nil, is NSNull: .null
            case let object as NSManagedObject: .string(ObjectName.of(object.objectID))
            case let value?: .string(StudioRows.cut(ValueText.text(value)))
            }
        }
        func isEqual(_ one: Any?, _ other: Any?) -> Bool {
            (one as? NSObject ?? NSNull()).isEqual(other as? NSObject ?? NSNull())
        }
        let isDeleted = conflict.newVersionNumber == 0
        let keys = Set(mine.keys).union(isDeleted ? [] : base.keys.filter { !isEqual(base[$0], theirs[$0]) })
        let values = keys.sorted().filter { object.entity.relationshipsByName[$0]?.isToMany != true }.map { key in
            JSON.object([
                ("key", .string(key)), ("base", text(base[key])),
                ("yours", text(object.isDeleted ? nil : object.value(forKey: key))), ("theirs", text(theirs[key])),
            ])
        }
        return .object([
            ("id", .string(ObjectName.of(object.objectID))),
            ("label", .optional(ObjectLabel.short(object))),
            ("isDeleted", .bool(isDeleted)), ("values", .array(values)),
        ])
    }
}
