import Foundation

extension NSManagedObjectContext {
    /// The state of the stores that a context reads.
    enum Reading {
        /// The present state, at every read.
        case present
        /// The present state, as standbys have it.
        case standby
        /// The state that the next read finds.
        case next
        /// A pinned state, which is kept.
        case pinned(QueryGeneration)
    }

    /// The value of `queryGenerationToken` unless a subclass overrides it.
    final var _queryGenerationToken: NSQueryGenerationToken? {
        checkConfinement()
        if let parent { return parent.reading { parent.queryGenerationToken } }
        switch readingState {
        case .present, .standby: return nil
        case .next: return .current
        case .pinned(let generation): return NSQueryGenerationToken(generation)
        }
    }

    /// Does the work of `setQueryGenerationFrom(_:)` unless a subclass overrides it.
    final func _setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        checkConfinement()
        guard parent == nil else {
            throw NSError.coreData(
                NSCoreDataError,
                reason: "\(debugName) has a parent context: it reads what that one reads, and cannot be pinned itself")
        }
        guard let generation else {
            readingState = settings.readsFromStandbys ? .standby : .present
            return
        }
        guard let pinned = generation.generation else {
            readingState = .next
            return
        }
        guard let coordinator = persistentStoreCoordinator, pinned.coordinator == ObjectIdentifier(coordinator) else {
            throw NSError.coreData(
                NSCoreDataError, reason: "The query generation is one of another coordinator than that of \(debugName)")
        }
        readingState = .pinned(pinned)
    }

    /// The state to read, pinned now if it was to be pinned by the next read; nil for the present one.
    @inline(__always)
    final func generation() throws -> QueryGeneration? {
        switch readingState {
        case .present: return nil
        case .pinned(let generation): return generation
        case .next: return try pinNow()
        case .standby: return persistentStoreCoordinator?.standbys()
        }
    }

    private func pinNow() throws -> QueryGeneration? {
        guard let coordinator = persistentStoreCoordinator else { return nil }
        let generation = try coordinator.presentGeneration(ofStandbys: settings.readsFromStandbys)
        readingState = .pinned(generation)
        return generation
    }

    /// Advances a pinned context to the newest state.
    final func advanceGeneration() {
        if case .pinned = readingState { readingState = .next }
    }
}

extension NSPersistentStoreCoordinator {
    /// The stores in their present state, to be read later.
    final func presentGeneration(ofStandbys: Bool) throws -> QueryGeneration {
        let standbys = ofStandbys ? standbys() : nil
        var views: [Int: any RowStore] = [:]
        for attached in lock.withLock({ attached }) {
            let rows = standbys?.views[attached.number] ?? attached.rows
            if let view = try rows.pinned() { views[attached.number] = view }
        }
        return QueryGeneration(views: views, coordinator: self)
    }
}
