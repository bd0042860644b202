import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata forecast and migrate")
struct MigrateCommandTests {
    // MARK: Forecast

    @Test("A forecast has the store's version and the steps of the migration, and changes nothing")
    func forecast() throws {
        try NotesMigration.with(5) { folder, store in
            let before = try FolderContents(folder)
            for arguments in [
                ["forecast"] + NotesMigration.arguments, ["migrate"] + NotesMigration.arguments + ["--dry-run"],
            ] {
                let run = try ToolRun(arguments, in: folder)
                #expect(run.status == 0, "\(run.errors)")
                #expect(
                    run.output.hasPrefix("n.sqlite is of version 'Notes'; the one to reach is 'Notes 2'\n"),
                    "\(run.output)")
                #expect(run.output.contains("'Notes' → 'Notes 2', inferred\ncost"))
                let json = try ToolRun(arguments + ["--json"], in: folder).json() as? [String: Any]
                #expect(json?["isPossible"] as? Bool == true)
                let hop = (json?["hops"] as? [[String: Any]])?.first
                #expect((hop?["to"] as? [String: Any])?["name"] as? String == "Notes 2")
            }
            #expect(try FolderContents(folder).differences(from: before).isEmpty)
            let none = try ToolRun(["forecast"] + NotesMigration.arguments + ["--to", "Notes"], in: folder)
            #expect(none.status == 0)
            #expect(none.output == "n.sqlite is of version 'Notes' and needs no migration\n")
        }
    }

    @Test("The statements are written as a file, compared with a migration on request, and nothing changes")
    func statements() throws {
        try NotesMigration.with(5) { folder, _ in
            let before = try FolderContents(folder)
            let command = ["forecast"] + NotesMigration.arguments
            let run = try ToolRun(command + ["--sql", "--verify"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("-- The statements of a migration of n.sqlite.\n"), "\(run.output)")
            #expect(run.output.contains("\nBEGIN IMMEDIATE;\n") && run.output.hasSuffix("\nCOMMIT;\n"))
            #expect(run.errors.hasSuffix("verified: the statements make what a migration makes\n"), "\(run.errors)")
            let json = try ToolRun(command + ["--sql", "--json"], in: folder).json() as? [String: Any]
            let texts = (json?["statements"] as? [[String: Any]])?.compactMap { $0["text"] as? String } ?? []
            #expect(texts.first == "BEGIN IMMEDIATE" && texts.last == "COMMIT")
            let none = try ToolRun(command + ["--sql", "--to", "Notes"], in: folder)
            #expect(none.status == 0 && none.output.contains("needs no migration"))
            for (arguments, text) in [
                (["--verify"], "'--verify' goes with '--sql'"), (["--online"], "'--online' is for stores in databases"),
            ] {
                let wrong = try ToolRun(command + arguments, in: folder)
                #expect(wrong.status == 2 && wrong.errors.contains(text), "\(wrong.errors)")
            }
            #expect(try FolderContents(folder).differences(from: before).isEmpty)
        }
    }

    @Test("Obstacles are listed with remedies, and no migration begins")
    func obstacle() throws {
        try withTemporaryFolder { folder in
            try ModelFolder.compiled(
                "Depot", [("1", DepotModels.versions[1]), ("2", DepotModels.versions[2])], current: "2", in: folder)
            let store = folder.appendingPathComponent("d.sqlite")
            try DepotModels.fill(store, DepotModels.versions[1], items: 5)
            let before = try FolderContents(folder)
            let forecast = try ToolRun(["forecast", "d.sqlite", "-m", "Depot.momd"], in: folder)
            #expect(forecast.status == 1)
            #expect(forecast.output.contains("It cannot be migrated:\n  "), "\(forecast.output)")
            #expect(forecast.output.contains("Item.size"))
            let run = try ToolRun(["migrate", "d.sqlite", "-m", "Depot.momd", "--backup", "B"], in: folder)
            #expect(run.status == 5)
            #expect(run.errors.hasPrefix("coredata: d.sqlite cannot be migrated to '2'; nothing was changed\n"))
            #expect(try FolderContents(folder).differences(from: before).isEmpty)
        }
    }

    @Test("Of a store of an unknown version is said what the reader of the command can do", arguments: [0, 1])
    func unknownVersion(_ number: Int) throws {
        try NotesMigration.with(1) { folder, store in
            try ModelFolder.compiled("Depot", [("1", DepotModels.versions[1])], current: "1", in: folder)
            let change = ["DELETE FROM Z_MODELCACHE", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'"][number]
            try RawDatabase(store).execute(change)
            let own = ["keeps no copy of its own", "has a copy that is damaged"][number]
            let text =
                "The model has no version that the store was written with, and the store \(own). "
                + "Name a model that has that version, too."
            let forecast = try ToolRun(["forecast", "n.sqlite", "-m", "Depot.momd"], in: folder)
            #expect(forecast.status == 1 && forecast.output.hasSuffix("It cannot be migrated:\n  \(text)\n"))
            let run = try ToolRun(["migrate", "n.sqlite", "-m", "Depot.momd"], in: folder)
            #expect(run.status == 5 && run.errors.hasSuffix("nothing was changed\n\(text)\n"), "\(run.errors)")
        }
    }

    @Test("Wrong use is reported with the nearest name")
    func badInput() throws {
        try NotesMigration.with(1) { folder, _ in
            try Data("hello".utf8).write(to: folder.appendingPathComponent("text"))
            let cases: [(arguments: [String], status: Int32, text: String)] = [
                (["n.sqlite"], 2, "'--model' is missing"),
                (["n.sqlite", "-m", "Notes.momd", "--to", "Note 2"], 2, "is 'Notes 2' meant?"),
                (["n.sqlite", "-m", "Note.momd"], 3, "Note.momd: there is no such file or folder"),
                (["n.sqlite", "-m", "text"], 3, "text: this is no model"),
                (["nothing.sqlite", "-m", "Notes.momd"], 3, "nothing.sqlite: no such file or directory"),
                (["text", "-m", "Notes.momd"], 3, "text: this is no Core Data store"),
                (["n.sqlite", "-m", "Notes.momd", "--configuration", "C"], 2, "the model has no configuration 'C'"),
                (["n.sqlite", "-m", "Notes.momd", "--mapping", "no.cdm"], 3, "no.cdm: there is no such file"),
                (
                    ["n.sqlite", "-m", "Notes.momd", "--allow-loss", "Note.olt"], 2,
                    "'--allow-loss': the store has no 'Note.olt'; is 'Note.old' meant?"
                ),
            ]
            for command in ["forecast", "migrate"] {
                for (arguments, status, text) in cases {
                    let run = try ToolRun([command] + arguments, in: folder)
                    #expect(run.status == status, "\(command) \(arguments): \(run.errors)")
                    #expect(run.errors.split(separator: "\n").first?.contains(text) == true, "\(run.errors)")
                }
            }
            let database = try ToolRun(
                ["migrate", "postgresql://h/d", "-m", "Notes.momd", "--backup", "B"], in: folder)
            #expect(database.status == 2)
            #expect(database.errors.contains("pg_dump"))
        }
    }

    // MARK: Migrating

    @Test("A store is migrated without a word on the standard error, and then needs nothing")
    func migrate() throws {
        try NotesMigration.with(5) { folder, store in
            let run = try ToolRun(["migrate"] + NotesMigration.arguments, in: folder)
            #expect(run.errors == "")
            #expect(run.output == "n.sqlite is of version 'Notes 2' now\n")
            #expect(run.status == 0)
            #expect(try NotesMigration.ranks(store) == [7, 7, 7, 7, 7])
            let again = try ToolRun(["migrate"] + NotesMigration.arguments, in: folder)
            #expect(again.status == 0)
            #expect(again.output == "n.sqlite is of version 'Notes 2' and needs no migration\n")
        }
    }

    @Test("Stores that are read as a whole are migrated, too", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func wholeFile(type: String) throws {
        try NotesMigration.with(5, type: type) { folder, store in
            let forecast = try ToolRun(["forecast"] + NotesMigration.arguments, in: folder)
            #expect(forecast.status == 0, "\(forecast.output)\(forecast.errors)")
            let run = try ToolRun(["migrate"] + NotesMigration.arguments + ["--backup", "B", "--json"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let json = try run.json() as? [String: Any]
            #expect(json?["from"] as? String == "Notes")
            #expect(json?["to"] as? String == "Notes 2")
            #expect(try NotesMigration.ranks(store, type: type) == [7, 7, 7, 7, 7])
            #expect(try NotesMigration.isOld(folder.appendingPathComponent("B/n.sqlite"), type: type))
        }
    }

    @Test("Values that the version has no place for go only where they are named")
    func losses() throws {
        try NotesMigration.with(5) { folder, store in
            // A program without the store's version leaves out no property on purpose.
            try ModelFolder.compiled("Other", [NotesMigration.versions[1]], current: "Notes 2", in: folder)
            try RawDatabase(store).execute("UPDATE ZNOTE SET ZOLD = 'kept' WHERE Z_PK < 3")
            let forecast = try ToolRun(["forecast", "n.sqlite", "-m", "Other.momd"], in: folder)
            #expect(forecast.status == 1)
            #expect(
                forecast.output.contains("loses “Note.old” of 2 objects; --allow-loss Note.old lets it go"),
                "\(forecast.output)")
            let refused = try ToolRun(["migrate", "n.sqlite", "-m", "Other.momd"], in: folder)
            #expect(refused.status == 5)
            #expect(
                refused.errors == """
                    coredata: n.sqlite cannot be migrated to 'Notes 2'; nothing was changed
                    It would lose “Note.old” of 2 objects; --allow-loss Note.old lets it go.

                    """)
            #expect(try NotesMigration.isOld(store))
            for end in ["now", "and needs no migration"] {
                let run = try ToolRun(
                    ["migrate", "n.sqlite", "-m", "Other.momd", "--allow-loss", "Note.old"], in: folder)
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.output == "n.sqlite is of version 'Notes 2' \(end)\n")
                #expect(try NotesMigration.ranks(store).count == 5)
            }
        }
    }

    @Test("A backup has the content of the -wal and the external files, while another process has the store open")
    func backup() throws {
        try withTemporaryFolder { folder in
            let versions = [("1", DepotModels.versions[0]), ("2", DepotModels.versions[1])]
            try ModelFolder.compiled("Depot", versions, current: "2", in: folder)
            let store = folder.appendingPathComponent("d.sqlite")
            try DepotModels.fill(store, DepotModels.versions[0], items: 60)
            // An open connection, so that what it wrote stays in the -wal.
            let writer = try RawDatabase(store)
            try writer.execute("UPDATE ZITEM SET ZNAME = 'from the log' WHERE Z_PK = 1")
            let run = try ToolRun(
                ["migrate", "d.sqlite", "-m", "Depot.momd", "--while-open", "--backup", "Old/Stores"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let copy = folder.appendingPathComponent("Old/Stores/d.sqlite")
            try withStore(copy, DepotModels.model(0)) { context in
                let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                #expect(items.count == 60)
                #expect(items.filter { $0.value(forKey: "name") as? String == "from the log" }.count == 1)
                #expect(items.filter { ($0.value(forKey: "cover") as? Data)?.count == 130_000 }.count == 2)
            }
            withExtendedLifetime(writer) {}
        }
    }

    @Test("A second backup takes a name of its own")
    func secondBackup() throws {
        try NotesMigration.with(5) { folder, store in
            let copy = folder.appendingPathComponent("first.sqlite")
            try FileManager.default.copyItem(at: store, to: copy)
            for (source, name) in [("n.sqlite", "n.sqlite"), ("n.sqlite", "n-2.sqlite")] {
                try? FileManager.default.removeItem(at: store)
                try FileManager.default.copyItem(at: copy, to: store)
                let run = try ToolRun(["migrate", source, "-m", "Notes.momd", "--backup", "B"], in: folder)
                #expect(run.status == 0, "\(run.errors)")
                #expect(
                    run.output == """
                        the old store is kept at \(folder.path)/B/\(name)
                        n.sqlite is of version 'Notes 2' now

                        """)
                #expect(try NotesMigration.isOld(folder.appendingPathComponent("B/\(name)")))
            }
        }
    }

    @Test("A store that another process holds is reported, and stays as it was")
    func busy() throws {
        try NotesMigration.with(5) { folder, store in
            let writer = try RawDatabase(store)
            try writer.execute("BEGIN IMMEDIATE; UPDATE ZNOTE SET Z_OPT = Z_OPT + 1")
            let run = try ToolRun(["migrate"] + NotesMigration.arguments + ["--while-open"], in: folder)
            #expect(run.status == 4)
            #expect(
                run.errors.contains("process \(getpid())") && run.errors.contains("(--wait SECONDS)"), "\(run.errors)")
            try writer.execute("COMMIT")
            #expect(try NotesMigration.isOld(store))
        }
    }

    @Test("A store that another program has open is reported; without its lock, --while-open migrates all the same")
    func open() throws {
        try NotesMigration.with(5) { folder, store in
            try withStore(store, NotesMigration.models.0) { context in
                _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                let run = try ToolRun(["migrate"] + NotesMigration.arguments, in: folder)
                #expect(run.status == 4, "\(run.output)\(run.errors)")
                #expect(run.errors.hasPrefix("coredata: n.sqlite: the store is open in process \(getpid()) ("))
                #expect(run.errors.contains("--wait SECONDS") && run.errors.contains("--while-open"))
                #expect(try NotesMigration.isOld(store))
            }
            let open = try RawDatabase(store)
            #expect(try ToolRun(["migrate"] + NotesMigration.arguments, in: folder).status == 4)
            #expect(try ToolRun(["migrate"] + NotesMigration.arguments + ["--while-open"], in: folder).status == 0)
            withExtendedLifetime(open) {}
        }
    }

    @Test(
        "Copies of real stores are brought to the newest version of their models; the forecast said whether they can",
        .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
    func corpus() throws {
        let bundles = Corpus.paths { $0.hasSuffix(".xcdatamodeld") && !$0.contains("@history") }
        var files: [String: ModelArgument?] = [:]
        var (migrated, refused) = (0, 0)
        for path in Sample.slice(Corpus.stores, oneIn: 5, "migrate") {
            guard
                let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: Corpus.url(path))
            else { continue }
            let project = path.prefix { $0 != "/" }
            for bundle in bundles where bundle.prefix(while: { $0 != "/" }) == project {
                // A project has many stores of one model.
                let known = files[bundle] ?? (try? ModelArgument(url: Corpus.url(bundle)))
                files[bundle] = known
                guard let file = known, let source = file.version(fitting: metadata),
                    !source.isCurrent
                else { continue }
                try withTemporaryFolder { folder in
                    let store = try Corpus.copyStore(path, to: folder)
                    let before = try FolderContents(folder)
                    var arguments = [store.path, "--model", Corpus.url(bundle).path]
                    // Losses have to be named.
                    let losses = try ToolRun(["forecast"] + arguments + ["--json"])
                    let lost = (try losses.json() as? [String: Any])?["losses"] as? [[String: Any]] ?? []
                    for loss in lost where (loss["count"] as? Int ?? 0) > 0 {
                        #expect(losses.status == 1)
                        let name = [loss["entity"], loss["property"]].compactMap { $0 as? String }
                        arguments += ["--allow-loss", name.joined(separator: ".")]
                    }
                    let forecast = try ToolRun(["forecast"] + arguments + ["--json"])
                    #expect(
                        try FolderContents(folder).files[store.lastPathComponent]
                            == before.files[store.lastPathComponent])
                    let json = try #require(try forecast.json() as? [String: Any], "\(forecast.errors)")
                    let isPossible = json["isPossible"] as? Bool == true
                    #expect(forecast.status == (isPossible ? 0 : 1), "\(path)")
                    let run = try ToolRun(["migrate"] + arguments + ["--backup", folder.path + "/B"])
                    #expect(run.status == (isPossible ? 0 : 5), "\(path): \(run.errors)")
                    guard isPossible else {
                        refused += 1
                        return
                    }
                    let now = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                        ofType: NSSQLiteStoreType, at: store)
                    #expect(file.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: now), "\(path)")
                    migrated += 1
                }
            }
        }
        #expect(Sample.isWhole ? migrated > 5 : migrated + refused > 0)
    }

    @Test("A mapping model is followed, without the classes that the model names")
    func mapping() throws {
        try withTemporaryFolder { folder in
            let models = [DepotModels.model(1), DepotModels.model(2)]
            for model in models { model.entitiesByName["Item"]?.managedObjectClassName = "Depot.Item" }
            try ModelFolder.compiled("Depot", [("1", models[0]), ("2", models[1])], current: "2", in: folder)
            try MappingModelArchive.encode(DepotModels.mapping(policy: nil)).write(
                to: folder.appendingPathComponent("Sizes.cdm"))
            let store = folder.appendingPathComponent("d.sqlite")
            try DepotModels.fill(store, DepotModels.versions[1], items: 60)
            let arguments = ["d.sqlite", "-m", "Depot.momd", "--mapping", "Sizes.cdm"]
            let forecast = try ToolRun(["forecast"] + arguments, in: folder)
            #expect(forecast.status == 0, "\(forecast.output)\(forecast.errors)")
            #expect(forecast.output.contains("'1' → '2', by the mapping model"), "\(forecast.output)")
            let run = try ToolRun(["migrate"] + arguments, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            try withStore(store, DepotModels.model(2)) { context in
                let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                let sizes = items.compactMap { $0.value(forKey: "size") as? Int }.sorted()
                #expect(sizes == (0..<60).map { $0 * 3 })
                #expect(items.filter { ($0.value(forKey: "cover") as? Data)?.count == 130_000 }.count == 2)
            }
        }
    }

    @Test(
        "A disk that is too full is reported before anything is done",
        .enabled(if: SmallDisk.obstacle == nil, "\(SmallDisk.obstacle ?? "")"))
    func fullDisk() throws {
        try NotesMigration.with(20_000) { folder, store in
            let disk = try SmallDisk(kilobytes: 2_600)
            try withExtendedLifetime(disk) {
                let copy = disk.url.appendingPathComponent("n.sqlite")
                try FileManager.default.copyItem(at: store, to: copy)
                let model = folder.appendingPathComponent("Notes.momd").path
                let forecast = try ToolRun(["forecast", copy.path, "-m", model, "--allow-loss", "Note.old"])
                #expect(forecast.status == 1, "\(forecast.output)")
                #expect(forecast.output.contains(": too little\n"), "\(forecast.output)")
                let run = try ToolRun(["migrate", copy.path, "-m", model, "--allow-loss", "Note.old"])
                #expect(run.status == 5)
                #expect(run.errors.contains("cannot be migrated: the disk is too full; nothing was changed"))
                #expect(try NotesMigration.isOld(copy))
            }
        }
    }

    @Test("A store's name moves no cursor in an error")
    func escapes() throws {
        let run = try ToolRun(["forecast", "a\u{1B}[2Jb.sqlite", "-m", "Notes.momd"])
        #expect(run.errors == "coredata: a�[2Jb.sqlite: no such file or directory\n")
    }

    #if PostgreSQL
    @Test(
        "A store in a database is forecast and migrated",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    func database() throws {
        try withDatabase { url, folder in
            try ModelFolder.compiled("Notes", NotesMigration.versions, current: "Notes 2", in: folder)
            try NotesMigration.make(url, notes: 5, type: StoreKind.postgreSQL.type)
            let arguments = [url.absoluteString, "--model", "Notes.momd"]
            let forecast = try ToolRun(["forecast"] + arguments, in: folder)
            #expect(forecast.status == 0, "\(forecast.errors)")
            #expect(forecast.output.contains("is of version 'Notes'; the one to reach is 'Notes 2'"))
            #expect(forecast.output.contains("against"), "\(forecast.output)")
            let run = try ToolRun(["migrate"] + arguments, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.hasSuffix(" is of version 'Notes 2' now\n"))
            #expect(try NotesMigration.ranks(url, type: StoreKind.postgreSQL.type) == [7, 7, 7, 7, 7])
        }
    }
    #endif
}
