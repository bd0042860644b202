import Foundation

// Writes a save to the stores of the coordinator.
extension NSManagedObjectContext {
    /// The number of attempts of a save. Another one is needed each time another context or program has saved in
    /// between, or the policy has left a conflict.
    static var maximumOfAttempts: Int { 1_000 }

    /// The state that the attempts of one save share.
    private struct Attempts {
        /// The keys that new objects are written under, by their temporary ones.
        var permanent: PermanentKeys = [:]
        /// Stores that have committed: where there are several, each has a transaction of its own.
        var written: Set<Int> = []
        /// The row that each object is written as.
        private(set) var rows: [WrittenRow] = []
        /// The values that objects have given up, kept once for successive objects that gave up equal values.
        private var givenUp: [NSManagedObject.GivenUpValues] = []

        /// Empties the noted rows, and reserves capacity for new ones.
        mutating func forgetRows(makingRoomFor count: Int) {
            rows = []
            rows.reserveCapacity(count)
            givenUp = []
        }

        /// Notes the row that an object is written as. With `givesUpValues` the object drops the values that the row
        /// has.
        mutating func note(_ row: Snapshot, of object: NSManagedObject, givesUpValues: Bool) {
            var number: Int32 = -1
            if givesUpValues, let values = object.giveUpValues() {
                if givenUp.last != values { givenUp.append(values) }
                number = Int32(givenUp.count - 1)
            }
            rows.append(WrittenRow(object: object, row: row, givenUp: number))
        }

        /// Gives the objects the rows that they were written as.
        func takeOver() {
            // The noted rows hold the objects. A copy of an element would retain the object and the row.
            rows.withUnsafeBufferPointer { rows in
                for place in rows.indices {
                    let ahead = place + MemoryHint.distance
                    if ahead < rows.count { rows[ahead].loadObject() }
                    Unmanaged.passUnretained(rows[place].object)._withUnsafeGuaranteedRef {
                        $0.takeOver(rows[place].row)
                    }
                }
            }
        }

        /// Gives the objects back the values that they dropped.
        mutating func takeBackValues() {
            if givenUp.isEmpty { return }
            // Each root entity has keys of its own, so a number alone does not identify an object.
            var temporary: [ObjectKey: Int64] = [:]
            for written in rows where written.object.key < 0 {
                let root = written.object.binding.layout.rootIndex
                temporary[ObjectKey(layoutIndex: root, key: written.row.key)] = written.object.key
            }
            for written in rows where written.givenUp >= 0 {
                written.object.takeBack(givenUp[Int(written.givenUp)], from: written.row, temporary)
            }
            givenUp = []
        }
    }

    /// The change sets of a save. Mostly there is one store, and no dictionary is searched for each object.
    private struct ChangeSets {
        private let counts: (inserted: Int, updated: Int, deleted: Int)
        private var numbers: [Int] = []
        private var sets: [ChangeSet] = []

        init(inserted: Int, updated: Int, deleted: Int) { counts = (inserted, updated, deleted) }

        private mutating func add(_ number: Int) {
            var set = ChangeSet()
            if numbers.isEmpty {
                set.inserted.reserveCapacity(counts.inserted)
                set.updated.reserveCapacity(counts.updated)
                set.deleted.reserveCapacity(counts.deleted)
            }
            numbers.append(number)
            sets.append(set)
        }

        /// The change set of the store with a number.
        ///
        /// The arrays of the first one have room for all changes: they would take twice the memory as they grow.
        subscript(number: Int) -> ChangeSet {
            @inline(__always) _modify {
                var place = 0
                while place < numbers.count, numbers[place] != number { place += 1 }
                if place == numbers.count {
                    add(number)
                }
                yield &sets[place]
            }
            get { numbers.firstIndex(of: number).map { sets[$0] } ?? ChangeSet() }
        }

        /// Gives the change sets away by the numbers of their stores, and keeps none.
        mutating func taken() -> [Int: ChangeSet] {
            defer {
                numbers = []
                sets = []
            }
            return Dictionary(uniqueKeysWithValues: zip(numbers, sets))
        }
    }

    private struct WrittenRow {
        let object: NSManagedObject
        let row: Snapshot
        /// The place of the values that the object has given up; negative if there are none.
        let givenUp: Int32

        @inline(__always)
        func loadObject() {
            MemoryHint.load(object: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
            MemoryHint.load(UnsafeRawPointer(Unmanaged.passUnretained(row).toOpaque()))
        }
    }

    /// Writes, and lets the merge policy resolve conflicts until the write succeeds.
    final func save(_ work: inout SaveWork, to coordinator: NSPersistentStoreCoordinator) throws {
        var attempts = Attempts()
        var keysAreNew = false
        for attempt in 1... {
            do {
                let known = conflictsWithCache(work, coordinator)
                if !known.isEmpty {
                    try resolve(SaveConflicts(conflicts: known), isCached: true)
                } else {
                    try commitAttempt(work, to: coordinator, &attempts)
                    break
                }
            } catch let conflicts as SaveConflicts {
                finishCommittedParts(of: work, coordinator, &attempts)
                if attempt == Self.maximumOfAttempts { throw unresolved(conflicts) }
                try resolve(conflicts, isCached: false)
            } catch let taken as TakenKey {
                // Another process may insert under keys that it chose. New keys resolve that, unless an object had its
                // own before.
                let isTriedAgain = !keysAreNew && attempts.written.isEmpty && !attempts.permanent.isEmpty
                finishCommittedParts(of: work, coordinator, &attempts)
                if !isTriedAgain { throw taken.error }
                keysAreNew = true
                attempts.permanent = [:]
            } catch {
                finishCommittedParts(of: work, coordinator, &attempts)
                throw error
            }
            work = presentWork
            try validate(work)
        }
        attempts.takeOver()
        for (key, winner) in saveState.replacedKeys {
            attempts.permanent[key] = attempts.permanent[winner.key] ?? winner.key
        }
        let replaced = Set(saveState.replacedKeys.keys)
        saveState.replacedKeys = [:]
        adoptPermanentKeys(attempts.permanent, of: work.inserted, replaced: replaced)
        for objects in [work.inserted, livingUpdated] {
            objects.eachAhead { object in
                object.overlay?.toManys.forEach { $0?.acceptChanges(renaming: attempts.permanent) }
            }
        }
    }

    /// Marks the changes in stores that have committed as saved, so that they are not written again if another store
    /// fails.
    private func finishCommittedParts(
        of work: SaveWork, _ coordinator: NSPersistentStoreCoordinator, _ attempts: inout Attempts
    ) {
        let stores = attempts.written
        if stores.isEmpty { return }
        installPermanentKeys(attempts.permanent, of: work.inserted)
        saveState.temporaryKeys = [:]
        func part(_ objects: [NSManagedObject]) -> [NSManagedObject] {
            objects.filter { stores.contains($0.objectKey.storeNumber) }
        }
        let saved = SaveWork(
            inserted: part(work.inserted), updated: part(livingUpdated), deleted: part(work.deleted))
        for written in attempts.rows where stores.contains(written.object.objectKey.storeNumber) {
            written.object.row = written.row
        }
        for object in saved.inserted + saved.updated {
            object.overlay?.toManys.forEach { $0?.acceptChanges(renaming: [:]) }
        }
        coordinator.withSaveLock { coordinator.publish(saved.changes, from: self) }
        finish(saved, isWhole: false)
        attempts = Attempts()
    }

    /// Writes everything to the stores, in one transaction each, of which none commits before all are written. Throws
    /// `SaveConflicts` when a store refuses.
    private func commitAttempt(
        _ work: SaveWork, to coordinator: NSPersistentStoreCoordinator, _ attempts: inout Attempts
    ) throws {
        do {
            try writeOnce(work, to: coordinator, &attempts)
        } catch let refused as RefusedRow {
            attempts.takeBackValues()
            throw named(refused, work, attempts)
        } catch {
            attempts.takeBackValues()
            throw error
        }
    }

    /// The error of a row that a store refuses, with its object.
    private func named(_ refused: RefusedRow, _ work: SaveWork, _ attempts: Attempts) -> NSError {
        let key = refused.object
        var info = refused.error.userInfo
        info[NSValidationObjectErrorKey] =
            attempts.rows.first { $0.row.key == key.key && $0.row.layoutIndex == key.layoutIndex }?.object
            ?? work.deleted.first { $0.objectKey == key }
        return NSError(domain: refused.error.domain, code: refused.error.code, userInfo: info)
    }

    private func writeOnce(
        _ work: SaveWork, to coordinator: NSPersistentStoreCoordinator, _ attempts: inout Attempts
    ) throws {
        for objects in [work.inserted, work.updated] {
            try objects.eachAhead { try $0.encodeBoxedChanges() }
        }
        try obtainKeysFromObjectStores(work.inserted, coordinator)
        let objectStores = coordinator.objectStoreNumbers
        // A large save would hold all values twice. During the writing only children and programs' stores read the
        // values.
        let givesUpValues = objectStores.isEmpty && livingChildren.isEmpty
        if !objectStores.isEmpty { try deriveAttributes(work, for: objectStores) }
        assignOrders(work, except: objectStores)
        // Ordering may have changed members that had no changes so far.
        let (updated, raised) = livingUpdated(with: work, coordinator.versionedLinks)
        let stores = try storesByObject(work.inserted, coordinator)
        try reserveKeys(work.inserted, stores, coordinator, into: &attempts.permanent)
        let permanent = attempts.permanent

        var sets = ChangeSets(
            inserted: work.inserted.count, updated: updated.count, deleted: work.deleted.count)
        attempts.forgetRows(makingRoomFor: work.inserted.count + updated.count)
        work.inserted.eachWithRowAhead { object in
            let key = permanent[object.key] ?? object.key
            let row = object.builtRow(key: key, version: 1, renaming: permanent)
            sets[ObjectKey(layoutIndex: 0, key: key).storeNumber].inserted.append(row)
            attempts.note(row, of: object, givesUpValues: givesUpValues)
        }
        updated.eachWithRowAhead { object in
            let isOfProgram = objectStores.contains(object.objectKey.storeNumber)
            let changesLinks = raised.contains(ObjectIdentifier(object))
            // A fault of which only the members were changed has no row version yet.
            if object.row == nil, isOfProgram || changesLinks { _ = object.firedRow() }
            let changed = object.persistentChanges()
            let isBack = saveState.reinserted.contains(ObjectIdentifier(object))
            // A program's store writes whole objects: changed relationships are changes of the record, too.
            let isChanged = !changed.isEmpty || isBack || changesLinks || object.hasToManyChanges && isOfProgram
            guard isChanged, let old = object.row, !object.flags.contains(.inaccessible) else { return }
            let row = object.builtRow(
                key: object.key, version: RowVersion.next(after: old.version), renaming: permanent)
            attempts.note(row, of: object, givesUpValues: givesUpValues)
            if isBack {
                sets[object.objectKey.storeNumber].inserted.append(row)
                return
            }
            sets[object.objectKey.storeNumber].updated.append(
                ChangeSet.Update(old: old, new: row, changed: changed))
        }
        work.deleted.eachWithRowAhead { object in
            if object.flags.contains(.inaccessible) { return }
            sets[object.objectKey.storeNumber].deleted.append(
                ChangeSet.Deletion(key: object.objectKey, row: object.row))
        }
        for object in watchedForSave {
            guard let row = object.row else { continue }
            sets[object.objectKey.storeNumber].unchanged.append(row)
        }
        var changes = sets.taken()
        for objects in [work.inserted, updated] { collectJoins(objects, permanent, into: &changes) }
        collectJoins(ofDeleted: work.deleted, into: &changes)
        if !objectStores.isEmpty { collectObjects(work, updated: updated, for: objectStores, into: &changes) }

        // The origin is read before children may read through this context.
        let origin = changeOrigin
        try throwReadErrors()
        for number in Array(changes.keys) { changes[number]?.origin = origin }
        do {
            // A child that was created since would read values that were given up.
            try handingOff(unless: givesUpValues) { takeBack in
                try coordinator.withSaveLock {
                    try commitInOrder(
                        coordinator.savingOrder(of: changes.filter { !$0.value.isEmpty }.keys), of: changes,
                        to: coordinator, beforeVisible: takeBack, &attempts.written)
                    // The rows are released before the keys of a large save are made, because the keys take as much
                    // memory as the rows did.
                    for number in Array(changes.keys) { changes[number]?.releaseRows() }
                    changes = [:]
                    coordinator.publish(savedChanges(work, updated, permanent), from: self)
                }
            }
        } catch let conflicts as SaveConflicts {
            saveState.temporaryKeys = [:]
            for object in work.inserted {
                guard let key = permanent[object.key] else { continue }
                saveState.temporaryKeys[ObjectKey(layoutIndex: object.binding.layout.index, key: key)] = object.key
            }
            throw conflicts
        }
    }

    /// The changes of a save that has committed, with the permanent keys of new objects.
    private func savedChanges(
        _ work: SaveWork, _ updated: [NSManagedObject], _ permanent: PermanentKeys
    ) -> MergedChanges {
        var saved = SaveWork(inserted: work.inserted, updated: updated, deleted: work.deleted).changes
            .renamed(permanent)
        if !saveState.reinserted.isEmpty {
            saved.inserted += updated.filter { saveState.reinserted.contains(ObjectIdentifier($0)) }.map(\.objectKey)
        }
        return saved
    }

    /// Writes to the first of some stores, and to the remaining ones before the first commits. Stores that programs
    /// wrote cannot roll back, so they are written last.
    private func commitInOrder(
        _ stores: ArraySlice<Int>, of changes: [Int: ChangeSet], to coordinator: NSPersistentStoreCoordinator,
        beforeVisible: () -> Void, _ written: inout Set<Int>
    ) throws {
        guard let number = stores.first, var change = changes[number] else { return }
        let others = stores.dropFirst()
        let isLast = others.isEmpty || coordinator.objectStoreNumbers.contains(number)
        change.goesWithOthers = !isLast
        try coordinator.commit(change, toStoreNumbered: number, beforeVisible: beforeVisible) {
            if !isLast {
                try commitInOrder(others, of: changes, to: coordinator, beforeVisible: beforeVisible, &written)
            }
        }
        written.insert(number)
        if isLast { try commitInOrder(others, of: changes, to: coordinator, beforeVisible: beforeVisible, &written) }
    }

    /// Positions of the members of changed ordered relationships. Existing numbers stay where they still rise.
    private func assignOrders(_ work: SaveWork, except objectStores: Set<Int>) {
        func assignOrders(of owner: NSManagedObject) {
            guard let overlay = owner.overlay, !overlay.toManys.isEmpty else { return }
            // Programs' stores keep the members in their order themselves.
            if owner.key > 0, objectStores.contains(owner.objectKey.storeNumber) { return }
            for toMany in owner.binding.layout.toManys where toMany.isOrdered {
                guard let state = overlay.toManys[toMany.index], state.hasChanges else { continue }
                switch toMany.kind {
                case .inverseKey(_, let order?), .ownerKey(_, let order?):
                    assignPositions(of: owner.memberObjects(of: toMany.index), at: order)
                default:
                    break
                }
            }
        }
        for objects in [work.inserted, work.updated] { objects.eachAhead { assignOrders(of: $0) } }
    }

    private func assignPositions(of members: [NSManagedObject], at slot: Int) {
        let known = members.map { member -> Int64? in
            guard case .int(let position) = member.slotValue(at: slot) else { return nil }
            return position
        }
        var last: Int64 = 0
        var isRising = true
        for (index, position) in known.enumerated() {
            guard let position else {
                // A new member before an old one would need a gap, so all members get new numbers.
                if known[index...].contains(where: { $0 != nil }) { isRising = false }
                break
            }
            if position <= last { isRising = false }
            last = max(last, position)
        }
        if isRising {
            for (index, member) in members.enumerated() where known[index] == nil {
                last = last == 0 ? 2048 : last + 1024
                member.setSlot(slot, to: .int(last))
            }
        } else {
            for (index, member) in members.enumerated() {
                let position = 2048 + 1024 * Int64(index)
                if known[index] != position { member.setSlot(slot, to: .int(position)) }
            }
        }
    }

    /// The error of a save whose policy still leaves conflicts at the last attempt.
    final func unresolved(_ conflicts: SaveConflicts) -> NSError {
        NSError.coreData(
            conflicts.conflicts.isEmpty ? NSManagedObjectConstraintMergeError : NSManagedObjectMergeError,
            reason: "Could not merge changes: after \(Self.maximumOfAttempts) attempts there are still conflicts",
            userInfo: [
                NSAffectedObjectsErrorKey: conflicts.conflicts.map { objectID(for: $0.key) }
                    + conflicts.constraintConflicts.map { objectID(for: $0.key) }
            ])
    }
}
