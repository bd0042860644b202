import Foundation

// Notifies the delegate, in the form that it implements.
extension FetchedResultsCore {
    /// Changes the results and notifies the delegate. The first change shows which forms the delegate implements. If it
    /// does not implement a form, the results are put back, and the change is reported in the next form.
    func tell(_ changes: FetchedChanges, _ apply: (inout FetchedArrangement) -> Void) {
        UndecidedPredicate.outside {
            if delegate == nil || owner == nil {
                updateArrangement(apply)
                noteTemporaryIDs(after: changes)
            } else {
                tellDelegate(changes, apply)
            }
            for listener in livingListeners { listener.resultsDidChange(changes) }
        }
    }

    private func tellDelegate(_ changes: FetchedChanges, _ apply: (inout FetchedArrangement) -> Void) {
        guard let delegate, let controller = owner?.erased, let before = messages(of: changes) else { return }
        if takes(.snapshot) {
            let old = presentDelegateMethods.contains(.snapshot) ? nil : arrangement
            updateArrangement(apply)
            delegate.controller(controller, didChangeContentWith: snapshot(after: changes))
            if noteTaken(.snapshot) { return noteTemporaryIDs(after: changes) }
            if let old { setArrangement(old) }
        }
        if fetched?.order.isSectioned == false, takes(.difference) {
            let old = presentDelegateMethods.contains(.difference) ? nil : arrangement
            updateArrangement(apply)
            if let difference = difference(of: changes) {
                delegate.controller(controller, didChangeContentWith: difference)
            }
            if noteTaken(.difference) { return noteTemporaryIDs(after: changes) }
            if let old { setArrangement(old) }
        }
        delegate.controllerWillChangeContent(controller)
        updateArrangement(apply)
        tell(before, changes, to: delegate, of: controller)
        delegate.controllerDidChangeContent(controller)
        noteTemporaryIDs(after: changes)
    }

    /// Whether to call the delegate in a form: the delegate implements the form, or this is not known yet.
    private func takes(_ method: DelegateMethods) -> Bool { !missingDelegateMethods.contains(method) }

    /// Notes whether the delegate implements the form that was just called, and returns that.
    private func noteTaken(_ method: DelegateMethods) -> Bool {
        if missingDelegateMethods.contains(method) { return false }
        presentDelegateMethods.insert(method)
        return true
    }

    // MARK: Single changes

    /// Values that have to be read before the results change.
    private struct Messages {
        var deletedSections: [(index: Int, info: FetchedSection)]
        var oldPaths: [IndexPath?]
    }

    private func messages(of changes: FetchedChanges) -> Messages? {
        guard let arrangement else { return nil }
        return Messages(
            deletedSections: changes.deletedSections.map { ($0, emptySectionInfo($0, of: arrangement)) },
            oldPaths: changes.objects.map { $0.oldIndex.map { arrangement.indexPath(at: $0) } })
    }

    private func tell(
        _ messages: Messages, _ changes: FetchedChanges, to delegate: any NSFetchedResultsControllerDelegate,
        of controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        guard let now = arrangement else { return }
        for (index, info) in messages.deletedSections.reversed() {
            delegate.controller(controller, didChange: info, atSectionIndex: index, for: .delete)
        }
        for index in changes.insertedSections {
            delegate.controller(
                controller, didChange: sectionInfo(index, of: now), atSectionIndex: index, for: .insert)
        }
        for (change, oldPath) in zip(changes.objects, messages.oldPaths) {
            delegate.controller(
                controller, didChange: change.object, at: oldPath, for: change.type,
                newIndexPath: change.newIndex.map { now.indexPath(at: $0) })
        }
    }

    // MARK: Snapshots and differences

    func tellSnapshotAfterFetch() {
        guard let delegate, let controller = owner?.erased, fetched?.isTracked == true, takes(.snapshot) else { return }
        delegate.controller(controller, didChangeContentWith: snapshot(after: FetchedChanges()))
        _ = noteTaken(.snapshot)
    }

    private func snapshot(after changes: FetchedChanges) -> NSFetchedResultsSnapshot {
        let arrangement = settledArrangement
        return NSFetchedResultsSnapshot(
            sections: (arrangement?.sections ?? []).map { ($0.name, $0.start) },
            itemIdentifiers: (arrangement?.items ?? []).map(FetchedChanges.id),
            reloadedItemIdentifiers: changes.objects.filter { $0.type == .move || $0.type == .update }
                .map { FetchedChanges.id(of: $0.object) })
    }

    private func difference(of changes: FetchedChanges) -> CollectionDifference<NSManagedObjectID>? {
        CollectionDifference(changes.steps { temporaryIDs[ObjectIdentifier($0)]?.id })
    }

    // MARK: Ids that become permanent

    func noteTemporaryIDs(of arrangement: FetchedArrangement) {
        temporaryIDs = [:]
        guard fetched?.isTracked == true, !context.tracked.inserted.isEmpty else { return }
        for item in arrangement.items { noteTemporaryID(of: item) }
    }

    private func noteTemporaryIDs(after changes: FetchedChanges) {
        for change in changes.objects {
            switch change.type {
            case .insert: noteTemporaryID(of: change.object)
            case .delete: temporaryIDs[ObjectIdentifier(change.object)] = nil
            case .move, .update: break
            }
        }
    }

    private func noteTemporaryID(of item: NSObject) {
        let object = unsafeDowncast(item, to: NSManagedObject.self)
        if object.key < 0 { temporaryIDs[ObjectIdentifier(object)] = (object, object.objectID) }
    }

    /// Reports the permanent ids of saved objects to a delegate that gets ids.
    func tellPermanentIDs() {
        let saved = temporaryIDs.filter { $0.value.object.key > 0 }
        if saved.isEmpty { return }
        for key in saved.keys { temporaryIDs[key] = nil }
        guard let delegate, let controller = owner?.erased else { return }
        if presentDelegateMethods.contains(.snapshot) {
            delegate.controller(controller, didChangeContentWith: snapshot(after: FetchedChanges()))
        } else if presentDelegateMethods.contains(.difference) {
            var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
            for (object, id) in saved.values {
                guard let index = arrangement?.index(of: object) else { continue }
                steps.append(.remove(offset: index, element: id, associatedWith: nil))
                steps.append(.insert(offset: index, element: object.objectID, associatedWith: nil))
            }
            guard let difference = CollectionDifference(steps), !difference.isEmpty else { return }
            delegate.controller(controller, didChangeContentWith: difference)
        }
    }
}
