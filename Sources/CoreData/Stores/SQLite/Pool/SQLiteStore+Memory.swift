import Foundation

extension SQLiteStore.Opened {
    /// Creates a store in memory, or opens the one that other coordinators of the process have under this name.
    ///
    /// - Parameter other: a store whose content is copied into the new one. An open store of that name is then refused.
    mutating func openInMemory(_ place: StorePlace, entities: Set<String>?, copying other: SQLiteStore?) throws {
        isInMemory = true
        let connection: SQLiteConnection
        if case .sharedMemory(let name) = place {
            connection = try SharedMemory.connection(to: name, timeout: settings.timeout)
        } else {
            connection = try SQLiteConnection(path: ":memory:", access: .memory)
        }
        SQLiteFunctions.register(on: connection)
        if let other {
            if let url, case .sharedMemory(let name) = place { try SharedMemory.destroy(name, url: url, force: false) }
            try other.backUp(toMemory: connection)
        }
        if try connection.isEmpty() {
            if let url, settings.isReadOnly, place != .memory { throw StorePlace.missing(url) }
            let creation = SQLiteStoreCreation(layout: layout, schema: schema, entities: entities)
            do {
                metadata = try creation.create(on: connection, settings: settings, url: nil)
                metadata[NSStoreTypeKey] = type
                return try adoptMemory(connection)
            } catch is SQLiteStoreCreation.AlreadyMade {
                // Another coordinator has created the store first.
            }
        }
        try openLiving(connection, entities: entities)
    }

    private mutating func openLiving(_ connection: SQLiteConnection, entities: Set<String>?) throws {
        let url = url ?? URL(fileURLWithPath: "/dev/null")
        let summary = try SQLiteStoreSummary(at: url, by: connection)
        metadata = summary.metadata
        metadata[NSStoreTypeKey] = type
        try requireModel(summary)
        if summary.keepsHistory { requireTracking(at: url) }
        schema = try IntrospectedSchema(connection).fit(layout, entities: entities, url: url)
        try adoptMemory(connection)
    }

    private mutating func adoptMemory(_ connection: SQLiteConnection) throws {
        derivedAttributes = try DerivedAttributes(layout: layout, schema: schema, storeNumber: storeNumber)
        if settings.isReadOnly, url != nil {
            reader = connection
            historyTables = try HistoryTables.read(from: connection)
            return
        }
        writer = connection
        guard type == NSSQLiteStoreType else { return }
        historyTables =
            try settings.tracksHistory
            ? HistoryTables.prepare(connection, for: layout) : HistoryTables.read(from: connection)
    }
}

extension SQLiteStore {
    /// Copies all saved rows into an empty database in memory, which has no files for external values.
    func backUp(toMemory target: SQLiteConnection) throws {
        try readingHere { connection in
            guard try connection.hasLog() else {
                return try connection.backUp(to: target)
            }
            // A database in memory cannot have a -wal, but the header of the file states that it has one.
            try ScratchFolder.with { folder in
                let copy = try SQLiteConnection(path: folder.appendingPathComponent("copy").path, access: .create)
                try copy.leaveOutSyncing()
                try connection.backUp(to: copy)
                try copy.setJournalMode("delete")
                try copy.backUp(to: target)
            }
        }
        guard let externalData else { return }
        for (table, columns) in externalColumns {
            for column in columns { try takeIn(column, of: table, from: externalData, on: target) }
        }
    }

    private func takeIn(
        _ column: String, of table: String, from externalData: ExternalData, on target: SQLiteConnection
    ) throws {
        let names = try target.externalFiles(in: column, of: table)
        let write = try target.prepare(
            .update(
                SQLUpdate(
                    table, [.init(column, .parameter(1))],
                    where: .hasKey(parameter: 2))))
        try write.run(names.count) { place, parameters in
            // A value whose file is missing reads as nil.
            if let data = try externalData.read(names[place].name) {
                parameters.bind(1, data.withUnsafeBytes { ExternalData.inline($0) })
            } else {
                parameters.bindNull(1)
            }
            parameters.bind(2, names[place].key)
        }
    }

    /// Copies a store in memory to a file at a free address.
    func copyMemory(to files: SQLiteStoreFiles) throws {
        try readingHere { try $0.copyMemory(to: files) }
    }
}

extension SQLiteConnection {
    /// Copies a database in memory to a file at a free address.
    func copyMemory(to files: SQLiteStoreFiles) throws {
        do {
            let target = try SQLiteConnection(path: files.main.path, access: .create)
            try backUp(to: target)
            try target.setJournalMode("WAL")
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }
}
