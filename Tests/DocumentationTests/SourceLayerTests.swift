import Foundation
import TestSupport
import Testing

// Checks the statements of ARCHITECTURE.md about the layers against the sources.
@Suite("The layers of the sources")
struct SourceLayerTests {
    /// Folders and their layers; the longest name that fits counts. Folders of one layer may use each other.
    private static let layers: [String: Int] = [
        "": 0, "Foundation": 0, "Model": 0, "ModelFiles": 0, "Expressions": 0, "Rows": 0, "Requests": 1, "Stores": 2,
        "Stores/SQL": 3, "Stores/SQLite": 4, "Stores/Atomic": 5, "Stores/Incremental": 5, "Coordinator": 6,
        "History": 6, "Objects": 7, "Context": 7, "Undo": 7, "Results": 8, "FetchedResults": 8, "Migration": 9,
        "Mapping": 9, "Container": 10,
    ]

    /// Types of a layer above that layers below name. Most of them Apple's signatures force: a fetch request is part of
    /// a model, a store has its coordinator and its class of migration manager, a staged migration its container. The
    /// list does not restrict where a type is named: one that a signature forces may be used beside that signature.
    private static let forced: Set<String> = [
        "NSManagedObject", "NSManagedObjectID", "NSManagedObjectContext", "NSFetchRequest", "NSFetchRequestResult",
        "NSPersistentStore", "NSPersistentStoreCoordinator", "NSPersistentContainer", "NSMigrationManager",
    ]

    /// Members of these that layers below use because Apple's signatures force it. A layer below that needs more of one
    /// above has a protocol of its own that the one above conforms to (`ExpressionFetching`, `ModelRequest`,
    /// `ContextOfEntities`, `RequestExecutor`, `StoreHost`, `HistoryContext`, `StoreMigrating`).
    private static let forcedMembers: Set<String> = [
        // A request to an incremental store has a context: one of the store's own where the caller has none.
        "performAndWait"
    ]

    /// Names of members that are also names of Swift's, of Foundation's or of C's, or of generic parameters: where a
    /// layer below uses one, it means that. The test reads names and not types, so a member of a layer above that has
    /// the name of one below escapes it.
    private static let common: Set<String> = [
        "Index", "Object", "Result", "abs", "ascending", "async", "close", "copyMemory", "create",
        "delegate", "endIndex", "enter", "filter", "formIntersection", "inline", "inserted", "intersection",
        "isCancelled", "isDisjoint", "isSubset", "isSuperset", "leave", "literal", "log", "lower", "main", "map",
        "mask", "max", "merging", "min", "mutableCopy", "now", "random", "removeObject", "rename", "setObject", "sort",
        "squareRoot", "startIndex", "subject", "subtracting", "suffix", "upper",
    ]

    private struct Source {
        /// Beginning with the folder.
        let path: String
        let text: SourceText
        let names: SourceNames

        var layer: Int? {
            let parts = path.split(separator: "/").dropLast().map(String.init)
            return [parts.prefix(2), parts.prefix(1)].lazy.compactMap {
                SourceLayerTests.layers[$0.joined(separator: "/")]
            }.first
        }
    }

    private static func read(_ module: String) -> [Source] {
        let root = Toolchain.package.appendingPathComponent("Sources/\(module)").resolvingSymlinksInPath()
        let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let files = (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        return files.compactMap { file in
            let place = file.resolvingSymlinksInPath().path
            // The target of a link is another module's.
            guard place.hasPrefix(root.path + "/") else { return nil }
            let path = place.dropFirst(root.path.count + 1)
            guard let text = try? PackageFiles.source("Sources/\(module)/\(path)") else { return nil }
            return Source(path: String(path), text: text, names: SourceNames(text))
        }.sorted { $0.path < $1.path }
    }

    private static let sources = read("CoreData")

    /// The names that sources declare, each with the lowest of those that do: a layer that uses the name can mean that
    /// one. Sources below it can mean none of them.
    private static let declared: [SourceNames.Declaration: Source] = {
        var places: [String: [(SourceNames.Declaration, Source)]] = [:]
        for source in sources {
            for declaration in source.names.declarations {
                places[declaration.name, default: []].append((declaration, source))
            }
        }
        let lowest = places.values.compactMap { $0.min { $0.1.layer ?? .max < $1.1.layer ?? .max } }
        return Dictionary(lowest, uniquingKeysWith: { first, _ in first })
    }()

    /// The sources that use a name.
    private static let users: [String: [(path: String, layer: Int)]] = {
        var users: [String: [(path: String, layer: Int)]] = [:]
        for source in sources {
            guard let layer = source.layer else { continue }
            for name in source.names.used { users[name, default: []].append((source.path, layer)) }
        }
        return users
    }()

    /// The sources of layers below that use a name of another source.
    private static func usedBelow(_ declaration: SourceNames.Declaration, of source: Source) -> [String] {
        guard let above = source.layer else { return [] }
        return users[declaration.name]?.filter { $0.layer < above }.map(\.path) ?? []
    }

    @Test("No layer names a type or a constant of a layer above it, but for those in the lists")
    func namesOfTypes() {
        let types = Self.declared.filter { !$0.key.isMember }
        #expect(types.count > 300)
        expectNothingBelow(types, but: [Self.forced, Self.forcedMembers])
    }

    @Test("No layer names a member of a type, or of an extension, that a layer above it declares")
    func namesOfMembers() {
        let members = Self.declared.filter { $0.key.isMember }
        #expect(members.count > 1500)
        // The search finds the members that layers above use of the ones below.
        let fromAbove = members.filter { member, source in
            Self.users[member.name]?.contains { $0.layer > source.layer ?? .max } ?? false
        }
        #expect(fromAbove.count > 200)
        expectNothingBelow(members, but: [Self.forcedMembers, Self.common])
    }

    @Test("Nothing in the lists of exceptions is none")
    func exceptions() {
        let used = Self.declared.filter { !Self.usedBelow($0.key, of: $0.value).isEmpty }
        let names = Set(used.keys.map(\.name))
        for list in [Self.forced, Self.forcedMembers, Self.common] {
            let idle = list.subtracting(names)
            #expect(idle.isEmpty, "The list has names that no layer below uses any more: \(idle.sorted())")
        }
    }

    private func expectNothingBelow(_ declared: [SourceNames.Declaration: Source], but exceptions: [Set<String>]) {
        for (declaration, source) in declared where !exceptions.contains(where: { $0.contains(declaration.name) }) {
            let users = Self.usedBelow(declaration, of: source)
            #expect(users.isEmpty, "\(users) name \(declaration.name) of \(source.path)")
        }
    }

    @Test("Migrations are planned without a connection, and run over any driver")
    func migrations() throws {
        let declaration = /\b(?:class|struct|enum|protocol|actor|typealias)\s+([A-Z]\w*)/
        let ofSQLite = Set(
            Self.sources.filter { $0.path.hasPrefix("Stores/SQLite/") }
                .flatMap { $0.text.code.matches(of: declaration).map { String($0.1) } })
        #expect(ofSQLite.count > 40)
        #expect(ofSQLite.isSuperset(of: ["SQLiteConnection", "SoleUse", "MigrationFunctions", "SharedMemory"]))
        for (folder, forbidden) in [
            ("Planning", ofSQLite.union(["SQLConnection", "SQLDatabase"])), ("Running", ofSQLite),
        ] {
            let sources = Self.sources.filter { $0.path.hasPrefix("Migration/\(folder)/") }
            #expect(sources.count > 3)
            for source in sources {
                let words = source.text.code.matches(of: /\b[A-Z]\w+\b/.wordBoundaryKind(.simple))
                let names = Set(words.map { String($0.0) })
                let found = names.intersection(forbidden).sorted()
                #expect(found.isEmpty, "\(source.path) names \(found)")
            }
        }
    }

    /// The types of a migration in the order in which they call each other.
    private static let stations = [
        "MigrationForecaster", "StoreMigration", "FileMigration", "InPlaceMigration", "WayMigration",
        "MigrationStrategy", "StagedHops", "MigrationWay", "CopyingMigration", "StageMigration", "LightweightMigrator",
        "HopForecaster", "MigrationTransaction", "MigrationRequest",
    ]

    @Test("No type of a migration names one that calls it, so that their files form no circle")
    func migrationStations() {
        var found: Set<String> = []
        for (place, station) in Self.stations.enumerated() {
            let files = Self.sources.filter { source in
                let name = source.path.split(separator: "/").last ?? ""
                return source.path.hasPrefix("Migration/")
                    && (name == "\(station).swift" || name.hasPrefix("\(station)+"))
            }
            #expect(!files.isEmpty, "\(station)")
            for file in files {
                let callers = file.names.used.intersection(Self.stations[..<place])
                #expect(callers.isEmpty, "\(file.path) names \(callers.sorted())")
                found.formUnion(file.names.used.intersection(Self.stations[(place + 1)...]))
            }
        }
        // The search finds the types that are called.
        #expect(found.count > 8)
    }

    @Test("Above the stores, types of SQLite's are named where it is about a store's file, which the folder says")
    func typesOfSQLite() {
        let types = Self.sources.filter { $0.path.hasPrefix("Stores/SQLite/") }
            .flatMap { $0.names.declarations.filter { !$0.isMember }.map(\.name) }
        #expect(Set(types).isSuperset(of: ["SQLiteConnection", "SQLiteStoreFiles", "SQLiteDialect", "SoleUse"]))
        let stores = Self.layers["Stores/Incremental"] ?? .max
        for source in Self.sources where source.layer ?? 0 > stores && !source.path.contains("/Files/") {
            let found = source.names.used.intersection(types).sorted()
            let isKnown = Self.outsideOfFiles[source.path].map { $0.isSuperset(of: found) } ?? found.isEmpty
            #expect(isKnown, "\(source.path) names \(found)")
        }
    }

    /// The table of the engines, and what makes a store of another kind by way of a SQLite file.
    private static let outsideOfFiles: [String: Set<String>] = [
        "Coordinator/StoreEngines.swift": ["SQLiteEngine"],
        "Migration/Moving/NSPersistentStoreCoordinator+Moving.swift": ["SQLiteFilling", "SQLiteStoreFiles"],
    ]

    @Test("The plugin's tool is built of the framework's own sources, but without the framework")
    func sourcesOfTheTool() throws {
        let files = FileManager.default
        let folder = Toolchain.package.appendingPathComponent("Sources").resolvingSymlinksInPath()
        let module = folder.appendingPathComponent("CoreDataModelReading")
        let paths = try files.subpathsOfDirectory(atPath: module.path)
        let links = paths.filter { path in
            (try? files.destinationOfSymbolicLink(atPath: module.appendingPathComponent(path).path)) != nil
        }
        #expect(Set(links).isSuperset(of: ["Model", "ModelFiles", "Expressions", "Mapping/MappingModelFile.swift"]))
        for link in links {
            let source = module.appendingPathComponent(link).resolvingSymlinksInPath()
            #expect(source.path == folder.appendingPathComponent("CoreData/\(link)").path)
            #expect(files.fileExists(atPath: source.path))
        }
        let others = paths.filter { path in
            path.hasSuffix(".swift") && !links.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
        #expect(others == ["Absent.swift"])
        for module in ["CoreDataModelReading", "CoreDataModelCompiler", "coredata-modelc"] {
            let sources = Self.read(module)
            #expect(!sources.isEmpty)
            let importing = sources.filter { $0.text.code.contains(/import\s+(\w+\s+)?CoreData(?!\w)/) }.map(\.path)
            #expect(importing.isEmpty, "\(importing) of \(module) import the framework")
        }
    }

    @Test("A declaration that the plugin's tool uses by name is the framework's, and one of its sources names it")
    func absentTypes() throws {
        let absent = try #require(Self.read("CoreDataModelReading").first { $0.path == "Absent.swift" })
        let names = Set(absent.names.declarations.filter { !$0.isMember }.map(\.name))
        #expect(names.isSuperset(of: ["NSManagedObject", "NSManagedObjectContext", "ModelLayout"]))
        let types = Set(Self.declared.keys.filter { !$0.isMember }.map(\.name))
        #expect(names.isSubset(of: types), "\(names.subtracting(types)) are none of the framework's")
        let folders = ["Model/", "ModelFiles/", "Expressions/", "Requests/", "Mapping/"]
        let used = Self.users.filter { $0.value.contains { user in folders.contains { user.path.hasPrefix($0) } } }
        #expect(names.isSubset(of: used.keys), "\(names.subtracting(used.keys)) are named by no source")
    }

    @Test("The macros use the scanner of sources alone, so that they start quickly and are built without the framework")
    func sourcesOfTheMacros() {
        let allowed: [String: Set<String>] = [
            "SwiftDataExpansion": ["SwiftScanning"], "SwiftDataMacros": ["SwiftDataExpansion"],
        ]
        for (module, own) in allowed {
            let imports = Self.read(module).flatMap {
                $0.text.code.matches(of: /\bimport\s+(\w+)/).map { String($0.1) }
            }
            #expect(Set(imports) == own.union(["Glibc", "Musl", "Darwin"]), "\(module)")
        }
    }

    @Test("Every folder has a layer")
    func folders() {
        let without = Self.sources.filter { $0.layer == nil }.map(\.path)
        #expect(without.isEmpty, "\(without)")
    }

    @Test("SQL stands in the printer, the drivers and their functions alone")
    func textOfSQL() throws {
        let search = try SearchOfSQL()
        let steps = "Migration/Planning/MigrationStep.swift"
        let places = Self.sources.filter { source in
            source.text.literals.contains { literal in
                search.finds(literal) && !(source.path == steps && Self.wordsOfSteps.contains(literal))
            }
        }.map(\.path)
        let allowed = ["Stores/SQL/Language/", "Stores/SQLite/Driver/", "Stores/SQLite/Functions/"]
        let outside = places.filter { path in !allowed.contains { path.hasPrefix($0) } }
        #expect(outside.isEmpty, "\(outside)")
        // The search finds what is there.
        #expect(places.contains("Stores/SQL/Language/SQLPrinter+Statements.swift"))
        #expect(places.contains("Stores/SQLite/Driver/SQLiteConnection.swift"))
        let words = Self.sources.first { $0.path == steps }?.text.literals.filter(search.finds) ?? []
        #expect(Set(words) == Self.wordsOfSteps)
    }

    /// Names of migration steps in errors and forecasts, in words for people, that read like SQL. The last space of
    /// each, or the one before the comma, is the name of a thing.
    private static let wordsOfSteps: Set<String> = [
        "create index  ", "create index  , looking for duplicates", "create table  ", "create trigger  ",
        "create view  ", "drop index  ", "drop table  ", "drop trigger  ", "drop view  ",
    ]

    @Test("SQL of MigrationTestKit stands where it reads a store's file beside the framework")
    func textOfTestKit() throws {
        let search = try SearchOfSQL()
        let places = Self.read("MigrationTestKit").filter { $0.text.literals.contains(where: search.finds) }.map(\.path)
        #expect(places == ["Driver/TrialDatabase.swift"])
    }

    @Test(
        "No layer above the stores uses a store's type or class, but for the table of classes, and for tables to read"
    )
    func questionsAboutStores() {
        let classes =
            "SQLStore|SQLiteStore|SQLiteEngine|InPlaceEngine|NSAtomicStore|NSIncrementalStore|RecordFileStore|XMLStore"
            + "|BinaryStore|RowStore|ObjectStore|BatchStore|HistoryStore|HeldTransactionStore|ProductStoreEngine"
        let types = "NS(SQLite|XML|Binary|InMemory)StoreType"
        let pattern =
            "\\b(as[?!]|is|case +let +\\w+ +as) +(any +)?(\(classes))\\b|[!=]= *\(types)\\b|case +\(types)\\b|\\b\(types) *[!=]="
        func asks(_ code: String) -> Bool { code.range(of: pattern, options: .regularExpression) != nil }
        #expect(asks("a is NSAtomicStore.Type") && asks("b as? SQLStore") && asks("type != NSXMLStoreType"))
        #expect(asks("engine as? any InPlaceEngine") && !asks("let engine: any InPlaceEngine"))
        #expect(asks("for case let a as any HeldTransactionStore in b") && asks("b.rows as? any BatchStore"))
        #expect(!asks("ofType: NSSQLiteStoreType, at: url") && !asks("let a: SQLStore"))
        let stores = Self.layers["Stores/Incremental"] ?? .max
        let asking = Self.sources.filter { $0.layer ?? 0 > stores && asks($0.text.code) }.map(\.path)
        #expect(asking == ["Coordinator/StoreClasses.swift", "Migration/Moving/StoreMove.swift"])
    }

    @Test("SQL for PostgreSQL stands in its driver and in the code that runs in the server alone")
    func textOfPostgreSQL() throws {
        let search = try SearchOfSQL()
        let sources = Self.read("CoreDataPostgreSQL")
        let places = sources.filter { $0.text.literals.contains(where: search.finds) }.map(\.path)
        let outside = places.filter { path in !["Driver/", "Functions/"].contains { path.hasPrefix($0) } }
        #expect(outside.isEmpty, "\(outside)")
        for folder in ["Driver/", "Functions/"] {
            #expect(places.contains { $0.hasPrefix(folder) }, "The search finds nothing in \(folder)")
        }
    }

    @Test(
        "The search finds SQL in any case, and no sentences",
        arguments: [
            ("select Z_PK from ZBOOK", true), ("insert or ignore into a values (1)", true),
            ("update a set b = 1", true),
            ("delete from a", true), ("drop table if exists a", true), ("alter table a add b", true),
            ("pragma page_size", true),
            ("begin immediate", true), ("COMMIT", true), (" where a is not null and b", true), ("a order by b", true),
            ("((pg_current_xact_id()::text::bigint & 3", true), ("TABLE  ", true), ("text collate \"C\"", true),
            ("listen coredata", true), ("SET LOCAL x = 1", true), ("x FROM y", true), ("select count(*)", true),
            ("Select one of the stores and begin", false), ("update the store", false), ("The value is null.", false),
            ("It was deleted from the store", false), ("Release the lock", false), ("begin", false), ("commit", false),
        ])
    func searchOfSQL(_ text: String, isSQL: Bool) throws {
        #expect(try SearchOfSQL().finds(text) == isSQL)
    }

    /// Searches for SQL in the text of literals.
    private struct SearchOfSQL {
        private let patterns: [NSRegularExpression]

        init() throws {
            // The first word of a line in capitals, and statements as they are in any case.
            let capitals =
                "SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|EXPLAIN|VACUUM"
                + "|ANALYZE|WITH|LISTEN|NOTIFY|LOCK|SET|TRUNCATE\\s+\\w"
            let kinds = "table|index|view|trigger|schema|function|sequence|type"
            let statements = [
                "select\\s+(\\S+\\s+from\\b|distinct\\b|pg_|\\w+\\s*\\()", "insert\\s+(or\\s+\\w+\\s+)?into\\b",
                "update\\s+\\S+\\s+set\\b", "delete\\s+from\\b",
                "(create|drop|alter)\\s+(or\\s+replace\\s+|unique\\s+|temp\\s+|virtual\\s+)*(\(kinds))\\b",
                "pragma\\s+\\w", "begin\\s+(immediate|exclusive|deferred|isolation)\\b", "(commit|rollback)\\s*;",
                "with\\s+\\w+\\s+as\\s", "(listen|notify)\\s+\\w", "lock\\s+table",
                "set\\s+(local|session|constraints)\\s",
            ]
            let clauses = [
                "order\\s+by\\s+\\w", "group\\s+by\\s+\\w", "is\\s+not\\s+null\\b", "values\\s*\\(", "union\\s+all\\b",
                "(inner|outer)\\s+join\\b", "(primary|foreign)\\s+key\\b", "collate\\s+\\W?\\w", "interval\\s+'",
                "pg_\\w+\\s*\\(", "nextval\\s*\\(", "setval\\s*\\(",
            ]
            patterns = try [
                NSRegularExpression(pattern: "^\\s*(\(capitals))\\b", options: .anchorsMatchLines),
                NSRegularExpression(
                    pattern: "\\s(FROM|WHERE|VALUES|SET|ORDER BY|GROUP BY|HAVING|LIMIT|IS NULL|IS NOT NULL)\\s"),
                NSRegularExpression(
                    pattern: "^\\s*(\(statements.joined(separator: "|")))",
                    options: [.anchorsMatchLines, .caseInsensitive]),
                NSRegularExpression(pattern: "\\b(\(clauses.joined(separator: "|")))", options: .caseInsensitive),
                // A cast of PostgreSQL's, and what a statement is about.
                NSRegularExpression(pattern: "::[a-z]|^(TABLE|COLUMN)\\s"),
            ]
        }

        func finds(_ text: String) -> Bool {
            let range = NSRange(text.startIndex..., in: text)
            return patterns.contains { $0.firstMatch(in: text, range: range) != nil }
        }
    }
}
