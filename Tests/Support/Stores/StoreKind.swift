import CoreData
import Foundation

#if PostgreSQL
import CoreDataPostgreSQL
#endif

/// The kinds of stores that the suites run over: the framework's own four, and one of each base class as a program
/// would write it.
public enum StoreKind: String, CaseIterable, Sendable {
    case sqlite
    case inMemory
    case binary
    case xml
    case atomic
    case incremental
    #if PostgreSQL
    case postgreSQL
    /// By way of a transaction pooler, PgBouncer.
    case pooled
    #endif

    #if PostgreSQL
    /// The two kinds in PostgreSQL's databases; only the first where `OPENCOREDATA_LONG` is not set, or no pooler
    /// there.
    public static let ofPostgreSQL: [StoreKind] = {
        if PostgreSQLServer.reasonOfAbsence != nil { return [] }
        let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
        return isLong && PostgreSQLPooler.reasonOfAbsence == nil ? [.postgreSQL, .pooled] : [.postgreSQL]
    }()

    private var isOfPostgreSQL: Bool { self == .postgreSQL || self == .pooled }
    #endif

    /// The kinds that this machine can have.
    public static let allCases: [StoreKind] = {
        var kinds = [StoreKind.sqlite, .inMemory, .binary, .xml, .atomic, .incremental]
        #if PostgreSQL
        kinds += ofPostgreSQL
        #endif
        return kinds
    }()

    /// The kinds on which one test runs, for its arguments; all with `bin/test --long`.
    ///
    /// Three kinds share an engine, that of atomic stores: a test plays one of them. A store in memory has the engine
    /// of SQLite's, and a test plays it in one of three runs. A PostgreSQL database takes longest, and a test plays it
    /// in one of two runs.
    ///
    /// - Parameters:
    ///   - file: The place of the test. Tests at other places have other kinds in the same run.
    ///   - line: The line of the test.
    public static func sampled(_ file: StaticString = #fileID, _ line: UInt = #line) -> [StoreKind] {
        if Sample.isWhole { return allCases }
        let name = "\(file):\(line)"
        func hasTurn(_ kind: StoreKind, oneIn runs: Int) -> Bool {
            Sample.slice(Array(0..<runs), oneIn: runs, "\(kind) \(name)") == [0]
        }
        let atomic = Sample.slice([StoreKind.binary, .xml, .atomic], oneIn: 3, name)
        return allCases.filter { kind in
            switch kind {
            case .sqlite, .incremental: true
            case .inMemory: hasTurn(kind, oneIn: 3)
            case .binary, .xml, .atomic: atomic.contains(kind)
            #if PostgreSQL
            case .postgreSQL, .pooled: hasTurn(kind, oneIn: 2)
            #endif
            }
        }
    }

    /// For work on one kind: `OPENCOREDATA_KIND=postgreSQL swift test`. With `pooled`, tests that use a store in a
    /// PostgreSQL database reach it through the pooler, too.
    public static let asked = ProcessInfo.processInfo.environment["OPENCOREDATA_KIND"].flatMap(StoreKind.init)

    /// The kind of a library by default: SQLite, unless a test runs over several kinds.
    @TaskLocal public static var current = StoreKind.sqlite

    /// The store type to add; the classes of the custom ones are registered on first use.
    public var type: String {
        switch self {
        case .sqlite: return NSSQLiteStoreType
        case .inMemory: return NSInMemoryStoreType
        case .binary: return NSBinaryStoreType
        case .xml: return NSXMLStoreType
        case .atomic, .incremental:
            Self.registration
            return self == .atomic ? PropertyListStore.storeType : ServiceStore.storeType
        #if PostgreSQL
        case .postgreSQL, .pooled: return NSPostgreSQLStoreType
        #endif
        }
    }

    private static let registration: Void = {
        NSPersistentStoreCoordinator.registerStoreClass(
            PropertyListStore.self, forStoreType: PropertyListStore.storeType)
        NSPersistentStoreCoordinator.registerStoreClass(
            ServiceStore.self, type: NSPersistentStore.StoreType(rawValue: ServiceStore.storeType))
    }()

    /// Whether the store keeps rows in tables.
    public var hasTables: Bool {
        #if PostgreSQL
        if isOfPostgreSQL { return true }
        #endif
        return self == .sqlite || self == .inMemory
    }

    /// Whether a database outside of the process answers: such a store takes batches, keeps history, and its NULL is
    /// neither equal nor unequal.
    public var isDatabase: Bool {
        #if PostgreSQL
        if isOfPostgreSQL { return true }
        #endif
        return self == .sqlite
    }

    /// Whether what was saved is there when the store is opened again.
    public var keepsRecords: Bool { self != .inMemory }

    /// Where a store in a folder lies.
    public func url(in folder: URL) -> URL? {
        switch self {
        case .sqlite: folder.appendingPathComponent("Library.sqlite")
        case .inMemory: nil
        case .binary: folder.appendingPathComponent("Library.binary")
        case .xml: folder.appendingPathComponent("Library.xml")
        case .atomic: folder.appendingPathComponent("Library.plist")
        case .incremental: URL(string: "records://\(folder.lastPathComponent)")
        #if PostgreSQL
        case .postgreSQL where Self.asked != .pooled:
            try? PostgreSQLServer.shared.get().url(ofDatabase: folder.lastPathComponent)
        case .postgreSQL, .pooled: try? PostgreSQLPooler.shared.get().url(ofDatabase: folder.lastPathComponent)
        #endif
        }
    }
}
