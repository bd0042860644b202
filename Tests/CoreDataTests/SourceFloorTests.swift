import Foundation
import TestSupport
import Testing

// What ARCHITECTURE.md says of the floors, asked of the sources themselves.
@Suite("The floors of the sources")
struct SourceFloorTests {
    /// Folders and their floors; the longest name that fits counts. Folders of one floor may know each other.
    private static let floors: [String: Int] = [
        "Foundation": 0, "Model": 0, "ModelFiles": 0, "Expressions": 0, "Rows": 0, "Requests": 1, "Stores": 2,
        "Stores/SQL": 3, "Stores/SQLite": 4, "Stores/Atomic": 5, "Stores/Incremental": 5, "Coordinator": 6,
        "History": 6, "Objects": 7, "Context": 7, "Undo": 7, "Results": 8, "FetchedResults": 8, "Migration": 9,
        "Mapping": 9, "Container": 10,
    ]

    /// What Apple's signatures force: a fetch request is part of a model, a store knows its coordinator and its class
    /// of migration manager, a staged migration its container.
    private static let forced: Set<String> = [
        "NSManagedObject", "NSManagedObjectID", "NSManagedObjectContext", "NSFetchRequest", "NSFetchRequestResult",
        "NSFetchRequestResultType", "NSPersistentStoreRequest", "NSPersistentStore", "NSPersistentStoreCoordinator",
        "NSPersistentStoreDescription", "NSPersistentContainer", "NSMigrationManager",
    ]

    private struct Source {
        /// Beginning with the folder.
        let path: String
        let text: String
        let code: String

        var floor: Int? {
            let parts = path.split(separator: "/").dropLast().map(String.init)
            return [parts.prefix(2), parts.prefix(1)].lazy.compactMap {
                SourceFloorTests.floors[$0.joined(separator: "/")]
            }.first
        }
    }

    private static let sources: [Source] = {
        let root = Toolchain.package.appendingPathComponent("Sources/CoreData").resolvingSymlinksInPath()
        let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let files = (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        return files.compactMap { file in
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            let path = file.resolvingSymlinksInPath().path.dropFirst(root.path.count + 1)
            return Source(path: String(path), text: text, code: code(of: text))
        }.sorted { $0.path < $1.path }
    }()

    /// A source without comments and without the text of its literals.
    private static func code(of text: String) -> String {
        text.replacing(/\/\/[^\n]*/, with: "").replacing(/"""(?s:.*?)"""/, with: "\"\"")
            .replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"")
    }

    @Test("No floor names a type of a floor above it, but for what Apple's signatures force")
    func namesOfTypes() throws {
        var declared: [String: [Source]] = [:]
        let declaration =
            /(?m)^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|open|package|final|indirect)\s+)*(?:class|struct|enum|protocol|actor|typealias)\s+(\w+)/
        for source in Self.sources {
            for match in source.code.matches(of: declaration) { declared[String(match.1), default: []].append(source) }
        }
        #expect(declared.count > 300)
        // By default `a.b` is one word, as in a text for people.
        let capitalised = /\b[A-Z]\w+\b/.wordBoundaryKind(.simple)
        var forced: Set<String> = []
        for source in Self.sources {
            guard let floor = source.floor else { continue }
            for name in Set(source.code.matches(of: capitalised).map { String($0.0) }) {
                // A name that is declared twice is one of nested types, or of parts of a program.
                guard let places = declared[name], Set(places.map(\.path)).count == 1, let above = places[0].floor,
                    above > floor
                else { continue }
                forced.insert(name)
                #expect(Self.forced.contains(name), "\(source.path) names \(name) of \(places[0].path)")
            }
        }
        #expect(forced == Self.forced, "The list has names that nothing forces any more.")
    }

    @Test("Migrations are planned without a connection, and run over any driver")
    func migrations() throws {
        let declaration =
            /(?:class|struct|enum|protocol)\s+(SQLite\w+|SoleUse|StoreExchange|MigrationFolder|SpatialIndexes)/
        let ofSQLite = Set(
            Self.sources.filter { $0.path.hasPrefix("Stores/SQLite/") }
                .flatMap { $0.code.matches(of: declaration).map { String($0.1) } })
        #expect(ofSQLite.count > 10)
        for (folder, forbidden) in [
            ("Planning", ofSQLite.union(["SQLConnection", "SQLDatabase"])), ("Running", ofSQLite),
        ] {
            let sources = Self.sources.filter { $0.path.hasPrefix("Migration/\(folder)/") }
            #expect(sources.count > 3)
            for source in sources {
                let names = Set(source.code.matches(of: /\b[A-Z]\w+\b/.wordBoundaryKind(.simple)).map { String($0.0) })
                let found = names.intersection(forbidden).sorted()
                #expect(found.isEmpty, "\(source.path) names \(found)")
            }
        }
    }

    @Test("Every folder has a floor")
    func folders() {
        let without = Self.sources.filter { $0.path.contains("/") && $0.floor == nil }.map(\.path)
        #expect(without.isEmpty, "\(without)")
    }

    @Test("SQL stands in the printer, the drivers and their functions alone")
    func textOfSQL() {
        let statement =
            /"(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|EXPLAIN|VACUUM|ANALYZE|WITH)\b/
        let clause = /"[^"\n]*\s(?:FROM|WHERE|VALUES|SET|ORDER BY|GROUP BY|HAVING|LIMIT|IS NULL|IS NOT NULL)\s[^"\n]*"/
        let inLongText =
            /^\s*(?:SELECT |INSERT (?:OR \w+ )?INTO |CREATE (?:TABLE|INDEX) |PRAGMA |DELETE FROM |UPDATE \w+ SET |DROP )/
        func hasSQL(_ source: Source) -> Bool {
            source.text.split(separator: "\n").contains { line in
                let line = String(line)
                if line.drop(while: { $0 == " " }).hasPrefix("//") { return false }
                return line.contains(statement) || line.contains(clause) || line.contains(inLongText)
            }
        }
        let places = Self.sources.filter(hasSQL).map(\.path)
        let outside = places.filter { !$0.hasPrefix("Stores/SQL/Language/") && !$0.hasPrefix("Stores/SQLite/") }
        #expect(outside.isEmpty, "\(outside)")
        // The search finds what is there.
        #expect(places.contains("Stores/SQL/Language/SQLPrinter+Statements.swift"))
        #expect(places.contains("Stores/SQLite/SQLiteConnection.swift"))
    }
}
