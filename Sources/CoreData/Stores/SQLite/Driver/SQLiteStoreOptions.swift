import Foundation

/// The options of a SQLite store in typed form.
struct SQLiteStoreOptions: Sendable {
    var isReadOnly = false
    /// The seconds to wait for a lock that another connection holds.
    var timeout: TimeInterval = 240
    /// The program's own pragmas, name and value, in the order of their names.
    var pragmas: [(name: String, value: String)] = []
    var analyzes = false
    var vacuums = false
    var ignoresVersioning = false
    var maximumReaders = 4
    var tracksHistory = false
    var postsRemoteChanges = false
    /// Whether Apple's triggers keep derived attributes in the file.
    var makesTriggers = false

    init(_ options: [AnyHashable: Any]?, url: URL?) throws {
        isReadOnly = StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) ?? false
        timeout = StoreOptions.number(options, NSPersistentStoreTimeoutOption) ?? timeout
        analyzes = StoreOptions.bool(options, NSSQLiteAnalyzeOption) ?? false
        vacuums = StoreOptions.bool(options, NSSQLiteManualVacuumOption) ?? false
        ignoresVersioning = StoreOptions.bool(options, NSIgnorePersistentStoreVersioningOption) ?? false
        tracksHistory = StoreOptions.isOn(options, NSPersistentHistoryTrackingKey)
        postsRemoteChanges = StoreOptions.isOn(options, NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        makesTriggers = StoreOptions.bool(options, NSSQLiteDerivedAttributeTriggersOption) ?? false
        if let count = StoreOptions.number(options, NSPersistentStoreConnectionPoolMaxSizeKey) {
            maximumReaders = max(1, Int(count))
        }
        guard let given = options?[NSSQLitePragmasOption] else { return }
        guard let dictionary = given as? [AnyHashable: Any] else {
            throw NSError.coreData(
                NSPersistentStoreOpenError, reason: "The value of NSSQLitePragmasOption is not a dictionary.", url: url)
        }
        for (key, value) in dictionary {
            let name = "\(key.base)"
            let text = "\(value)"
            guard !name.isEmpty, name.utf8.allSatisfy({ Self.isWordByte($0) }), !text.contains("'") else {
                throw NSError.coreData(
                    NSPersistentStoreOpenError,
                    reason:
                        "NSSQLitePragmasOption has a pragma “\(name)” with the value “\(text)”, which cannot be one.",
                    url: url)
            }
            pragmas.append((name.lowercased(), text))
        }
        pragmas.sort { $0.name < $1.name }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }

    func pragma(_ name: String) -> String? { pragmas.first { $0.name == name }?.value }

    /// Pragmas that define the layout of the file. They take effect only before the first table is created.
    static let layoutPragmas: Set<String> = ["page_size", "auto_vacuum", "encoding"]

    /// Applies the settings of all connections to a connection of a store, then those of the program.
    func configure(_ connection: SQLiteConnection, isWriter: Bool) throws {
        try connection.prepareForWork()
        for (name, value) in pragmas where !Self.layoutPragmas.contains(name) {
            if name == "journal_mode" { continue }
            if !isWriter, name == "max_page_count" || name == "wal_autocheckpoint" { continue }
            try connection.setPragma(name, to: value)
        }
    }
}
