extension NSManagedObjectContext {
    /// Whether the context reads from standbys: servers that follow the one that its saves go to.
    ///
    /// Reads then take work off the primary server. The context sees what its coordinator has saved, and what it has
    /// merged; what others have saved may show later. A standby that does not get so far in time is passed over: the
    /// primary is read (`NSPostgreSQLStandbyTimeoutOption`). Saves go to the primary, where a row that has changed
    /// since it was read is a conflict as always. It makes no difference for stores without standbys, and for a context
    /// with a parent, which reads what that one reads.
    ///
    /// False in a new context, unless the coordinator says otherwise
    /// (`NSPersistentStoreCoordinator.readsFromStandbys`). To be used on the context's queue. It is an extension of
    /// this framework.
    public final var readsFromStandbys: Bool {
        get {
            checkConfinementOnceUsed()
            return storedReadsFromStandbys
        }
        set {
            checkConfinementOnceUsed()
            storedReadsFromStandbys = newValue
            switch readingState {
            case .present, .standby: readingState = newValue ? .standby : .present
            // The state that is read now stays the same; the next one is pinned where the context says.
            case .next, .pinned: break
            }
        }
    }
}

extension NSFetchRequest {
    /// Whether this fetch reads from standbys, whatever the context does; nil, as in a new request, for what the
    /// context does.
    ///
    /// Faults of the objects are fulfilled as the context reads. A context that is pinned to a query generation reads
    /// that one. It is an extension of this framework (see `NSManagedObjectContext.readsFromStandbys`).
    public final var readsFromStandbys: Bool? {
        get { parameters.readsFromStandbys }
        set { parameters.readsFromStandbys = newValue }
    }
}

extension NSPersistentStoreCoordinator {
    /// Whether contexts that are attached to the coordinator from now on read from standbys; false at first.
    ///
    /// May be used from any thread. It is an extension of this framework (see
    /// `NSManagedObjectContext.readsFromStandbys`).
    public final var readsFromStandbys: Bool {
        get { lock.withLock { storedReadsFromStandbys } }
        set { lock.withLock { storedReadsFromStandbys = newValue } }
    }

    /// The stores as standbys have them; those that have none are missing.
    final func standbys() -> QueryGeneration {
        lock.withLock {
            let numbers = attached.map(\.number)
            if let known = knownStandbys, known.numbers == numbers { return known.generation }
            var views: [Int: any RowStore] = [:]
            for store in attached { views[store.number] = store.rows.standby() }
            let generation = QueryGeneration(views: views, coordinator: self)
            knownStandbys = (numbers, generation)
            return generation
        }
    }

    /// The stores themselves, for a fetch that reads no standby although its context does.
    final var primaries: QueryGeneration { QueryGeneration(views: [:], coordinator: self) }

    /// From now on standbys show what anybody has committed until now.
    final func requireNewStandbys() {
        for store in lock.withLock({ attached }) { store.rows.requireNewStandbys() }
    }
}
