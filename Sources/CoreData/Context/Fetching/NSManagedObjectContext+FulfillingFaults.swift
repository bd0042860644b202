import Foundation

// Handles faults that cannot be fulfilled. Firing a fault cannot throw, but the operation that fires it may.
extension NSManagedObjectContext {
    /// The errors of faults that could not be fulfilled during work that can throw.
    struct ReadErrors {
        private(set) var first: (any Error)?
        private(set) var count = 0

        mutating func note(_ error: any Error) {
            if first == nil { first = error }
            count += 1
        }
    }

    // MARK: Many at once

    /// Reads the values of many objects, and of the objects that relationship key paths lead to, in few requests.
    ///
    /// After it, these objects and relationships are no faults, so reading them needs no store. An object that cannot
    /// be read is an error here, while firing its fault would stop the process. Objects of other contexts stop the
    /// process.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - objects: Objects of this context, faults or not.
    ///   - keyPaths: Relationships to follow, such as `"author"` or `"chapters.notes"`. A name that an object's entity
    ///     does not have is passed over.
    /// - Throws:
    ///   - The store's error with its code. It names store, entity and row, and has the object's id under
    ///     ``NSAffectedObjectsErrorKey``.
    ///   - `NSManagedObjectReferentialIntegrityError` (133000) if rows do not exist, with all their ids, after the
    ///     other objects have been read.
    ///   - `NSCoreDataError` (134060) for a transformable value that its transformer cannot read.
    public final func fulfillFaults(of objects: [NSManagedObject], relationshipKeyPaths keyPaths: [String] = []) throws
    {
        checkConfinement()
        applyPendingUpdates()
        for object in objects {
            require(
                object.binding.context === self,
                "An NSManagedObjectContext cannot fulfill faults of other contexts. (\(object.binding.layout.name), "
                    + "\(debugName))")
        }
        try throwingReadErrors {
            try realize(objects)
            for keyPath in keyPaths {
                var level = objects
                for name in keyPath.split(separator: ".").map(String.init) {
                    level = try prefetchLevel(name, of: level)
                    try realize(level)
                }
            }
        }
    }

    /// Runs a body that reads objects, and throws an error where a fault that cannot be read would stop the process.
    ///
    /// Such a fault stays a fault and shows no values until the body has returned. An object whose row is gone is not
    /// such a fault: ``shouldDeleteInaccessibleFaults`` decides about it.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter body: The work that reads objects.
    /// - Returns: The body's result.
    /// - Throws: The first error of a fault that could not be read, otherwise the body's own error.
    public final func readingFaults<Result>(_ body: () throws -> Result) throws -> Result {
        checkConfinement()
        applyPendingUpdates()
        return try throwingReadErrors(body)
    }

    /// Makes faults real, with one request for each root entity.
    private func realize(_ objects: [NSManagedObject]) throws {
        try loadRows(of: objects)
        let missing = objects.filter {
            $0.row == nil && $0.flags.isDisjoint(with: [.deleted, .inserted]) || $0.flags.contains(.inaccessible)
        }
        for object in objects where object.row != nil && object.isFaultUnchecked { _ = object.fire() }
        for object in objects where object.row != nil { try object.requireReadableValues() }
        if missing.isEmpty { return }
        throw NSError.coreData(
            NSManagedObjectReferentialIntegrityError,
            reason: "Attempt to access an object not found in store: "
                + missing.prefix(3).map { place(of: $0.objectKey) }.joined(separator: ", ")
                + (missing.count > 3 ? " and \(missing.count - 3) more" : ""),
            userInfo: [NSAffectedObjectsErrorKey: missing.map(\.objectID)])
    }

    /// Makes the objects of a fetch real.
    final func fire(_ objects: [NSManagedObject]) throws {
        try loadRows(of: objects)
        for object in objects where object.isFaultUnchecked {
            if object.heldRow != nil { object.fireWithRow() } else { _ = object.fire() }
        }
    }

    /// Gives faults their rows, with one request for each root entity; they fire when they are first read. Throws the
    /// store's error, which names the row.
    final func loadRows(of objects: [NSManagedObject], evenDeleted: Bool = false) throws {
        var missing: [NSManagedObject] = []
        objects.eachAhead { object in
            if object.heldRow == nil, object.binding.context === self, evenDeleted || !object.flags.contains(.deleted) {
                missing.append(object)
            }
        }
        if missing.isEmpty { return }
        let rows: [ObjectKey: Snapshot]
        do {
            rows = try readRows(for: missing.map(\.objectKey))
        } catch {
            // One by one, to name the row.
            for object in missing {
                do { _ = try readRow(for: object.objectKey) } catch { throw unfulfilled(object.objectKey, error) }
            }
            throw error
        }
        for object in missing {
            guard let row = rows[object.rootKey] else { continue }
            let layout = object.binding.layout
            guard layout.subtree.contains(row.layoutIndex) else {
                throw unfulfilled(object.objectKey, layout.strangeRow(row))
            }
            object.row = row
            object.flags.insert(.unfired)
        }
    }

    // MARK: Errors

    /// Runs a body that can throw. A fault that cannot be fulfilled in it does not stop the process: it stays a fault
    /// and shows no values, and its error is thrown in the end.
    final func throwingReadErrors<Result>(_ body: () throws -> Result) throws -> Result {
        let outer = fetchState.readErrors
        fetchState.readErrors = ReadErrors()
        defer { fetchState.readErrors = outer }
        do {
            // A closure around the body would copy what the body holds, for each fetch.
            let result = try UndecidedPredicate.throwing(body)
            try throwReadErrors()
            return result
        } catch {
            // Other errors may only be consequences of the missing values.
            throw fetchState.readErrors?.first ?? error
        }
    }

    /// Collects the read errors of a body that checks them itself, or ignores them.
    final func collectingReadErrors<Result>(_ body: () throws -> Result) throws -> Result {
        let outer = fetchState.readErrors
        fetchState.readErrors = ReadErrors()
        defer { fetchState.readErrors = outer }
        do {
            return try body()
        } catch {
            // Other errors may only be consequences of the missing values.
            throw fetchState.readErrors?.first ?? error
        }
    }

    /// Runs a body that can do without values that cannot be read: such objects stay faults. False if there were any.
    @discardableResult
    final func toleratingReadErrors(_ body: () -> Void) -> Bool {
        let outer = fetchState.readErrors
        fetchState.readErrors = ReadErrors()
        defer { fetchState.readErrors = outer }
        body()
        return fetchState.readErrors?.first == nil
    }

    /// Throws the first read error since the beginning of the innermost body that collects such errors.
    final func throwReadErrors() throws {
        if let first = fetchState.readErrors?.first { throw first }
    }

    /// Handles a fault that cannot be fulfilled. A caller that can throw gets the error. The getter of a property
    /// cannot throw and has no value to return, so the process stops there, as with Apple's framework.
    final func cannotFulfill(_ error: any Error) {
        guard fetchState.readErrors != nil else { fatalError((error as NSError).localizedDescription) }
        fetchState.readErrors?.note(error)
    }

    /// The store's error about an object, or about one of its relationships.
    final func unfulfilled(
        _ key: ObjectKey, _ error: any Error, relationship: NSRelationshipDescription? = nil
    ) -> NSError {
        let error = error as NSError
        let id = objectID(for: key)
        if let known = error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObjectID], known == [id] { return error }
        let subject = relationship.map { "the relationship '\($0.name)' of " } ?? ""
        var info: [String: Any] = [NSAffectedObjectsErrorKey: [id]]
        if let store = id.persistentStore { info[NSAffectedStoresErrorKey] = [store] }
        return NSError.coreData(
            error.code,
            reason: "CoreData could not fulfill a fault for \(subject)'\(id)' (\(place(of: key))): "
                + error.localizedDescription,
            underlying: error, userInfo: info)
    }

    /// The place of an object's row, for messages.
    private func place(of key: ObjectKey) -> String {
        let name = modelLayout?.entities[key.layoutIndex].name ?? ""
        if key.isTemporary { return "new \(name)" }
        let file = store(numbered: key.storeNumber)?.url?.lastPathComponent ?? "the store"
        return "\(name), row \(key.primaryKey) of \(file)"
    }
}

extension NSManagedObject {
    /// Reads the archives of transformable attributes. Throws 134060, which names the attribute, when one cannot be
    /// read.
    fileprivate final func requireReadableValues() throws {
        guard binding.layout.hasTransformables, let row else { return }
        for (slot, description) in binding.layout.slots.enumerated()
        where description.kind == .transformable && !row.isNull(slot) {
            guard case .attribute(let attribute) = description.role, boxedValue(at: slot) is Data,
                !TransformableCoding.canRead(row.data(slot), of: attribute), overlay?.mask.contains(slot) != true,
                overlay?.boxedChanges.contains(slot) != true
            else { continue }
            throw NSError.coreData(
                NSCoreDataError,
                reason: "The value of the transformable attribute '\(attribute.name)' of "
                    + "'\(objectID.uriRepresentation())' cannot be read by its transformer",
                userInfo: [NSAffectedObjectsErrorKey: [objectID], NSValidationKeyErrorKey: description.name])
        }
    }
}
