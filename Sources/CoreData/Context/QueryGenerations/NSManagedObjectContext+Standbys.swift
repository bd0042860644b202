extension NSManagedObjectContext {
    /// Whether the context reads from standbys, which are servers that follow the one that its saves go to.
    ///
    /// Such reads take load off the primary server. The context sees all that its coordinator has saved and all that it
    /// has merged. Saves of other coordinators and processes may appear later.
    ///
    /// A standby that does not reach that state in time is passed over, and the primary is read
    /// (`NSPostgreSQLStandbyTimeoutOption`). Saves go to the primary, where a row that has changed since it was read is
    /// a conflict as always. Stores without standbys, and contexts with a parent, read as before.
    ///
    /// False in a new context, unless ``NSPersistentStoreCoordinator/readsFromStandbys`` says otherwise.
    ///
    /// OpenCoreData only.
    public final var readsFromStandbys: Bool {
        get {
            checkConfinementOnceUsed()
            return settings.readsFromStandbys
        }
        set {
            checkConfinementOnceUsed()
            settings.readsFromStandbys = newValue
            switch readingState {
            case .present, .standby: readingState = newValue ? .standby : .present
            // The state that is read now stays; the next state is pinned as the context's setting says.
            case .next, .pinned: break
            }
        }
    }
}

extension NSFetchRequest {
    /// Whether this fetch reads from standbys; nil, as in a new request, leaves it to the context.
    ///
    /// Faults of the fetched objects are read as the context reads. A context that is pinned to a query generation
    /// reads that state.
    ///
    /// OpenCoreData only. See ``NSManagedObjectContext/readsFromStandbys``.
    public final var readsFromStandbys: Bool? {
        get { parameters.readsFromStandbys }
        set { parameters.readsFromStandbys = newValue }
    }
}

extension NSPersistentStoreCoordinator {
    /// Whether new contexts of the coordinator read from standbys; false at first.
    ///
    /// OpenCoreData only. A context takes the value over when the coordinator becomes its coordinator, and contexts
    /// that have the coordinator already are not changed. See ``NSManagedObjectContext/readsFromStandbys``. Any thread
    /// may use it.
    public final var readsFromStandbys: Bool {
        get { lock.withLock { storedReadsFromStandbys } }
        set { lock.withLock { storedReadsFromStandbys = newValue } }
    }

    /// Views of the standbys of the coordinator's stores; stores without standbys are missing.
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

    /// From now on standbys must show everything that was committed until now.
    final func requireNewStandbys() {
        for store in lock.withLock({ attached }) { store.rows.requireNewStandbys() }
    }
}
