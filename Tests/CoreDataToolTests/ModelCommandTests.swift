import CoreData
import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import CoreDataTool

@Suite("coredata model")
struct ModelCommandTests {
    // MARK: hash

    @Test("The hashes are those that a store of the model has in its metadata, in base 64")
    func hash() throws {
        try ModelFolder.withLibrary { folder, _ in
            let store = folder.appendingPathComponent("l.sqlite")
            let model = ModelText.model(ModelFolder.library[1].text)
            try withStore(store, model) { _ in }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store)
            let hashes = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
            let run = try ToolRun(["model", "hash", "Library.momd"], in: folder)
            let rows = hashes.sorted { $0.key < $1.key }
                .map { "\(TextWidth.padded($0.key, to: 6))  \($0.value.base64EncodedString())\n" }
            #expect(
                run.output == """
                    Library.momd, version 'Library 2'
                    checksum  \(model.versionChecksum)

                    entity  version hash
                    \(rows.joined())
                    """)
            #expect(run.status == 0)
            let json = try ToolRun(["model", "hash", store.path, "--json"]).json() as? [String: Any]
            #expect(json?["checksum"] as? String == metadata[NSPersistentStoreModelVersionChecksumKey] as? String)
            #expect((json?["entities"] as? [String: String]) == hashes.mapValues { $0.base64EncodedString() })
            let older = try ToolRun(["model", "hash", "Library.momd", "--version", "Library"], in: folder)
            #expect(older.output.contains(ModelText.model(ModelFolder.library[0].text).versionChecksum))
        }
    }

    @Test("A file that is no model, or lacks the version, is reported in one line")
    func badInput() throws {
        try ModelFolder.withLibrary { folder, _ in
            try Data("hello".utf8).write(to: folder.appendingPathComponent("text.mom"))
            try Data("hello".utf8).write(to: folder.appendingPathComponent("text.txt"))
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("Folder"), withIntermediateDirectories: true)
            let cases: [(arguments: [String], status: Int32, text: String)] = [
                (["Library.momd", "--version", "Libary 2"], 2, "has no version 'Libary 2'; is 'Library 2' meant?"),
                (["Nowhere.momd"], 3, "Nowhere.momd: there is no such file or folder"),
                (["Nowhere"], 3, "Nowhere: there is no such file or folder"),
                (["Folder"], 3, "Folder: this is no model"),
                (["text.mom"], 3, "text.mom"),
                (["text.txt"], 3, "text.txt: this is no Core Data store"),
                ([], 2, "MODEL is missing"),
            ]
            for command in ["hash", "show", "lint", "diagram"] {
                for (arguments, status, text) in cases {
                    let run = try ToolRun(["model", command] + arguments, in: folder)
                    #expect(run.status == status, "\(command) \(arguments): \(run.errors)")
                    #expect(run.output.isEmpty)
                    #expect(run.errors.split(separator: "\n").first?.contains(text) == true, "\(run.errors)")
                }
            }
        }
    }

    // MARK: show

    @Test("Everything that a model says is shown")
    func show() throws {
        try ModelFolder.withLibrary { folder, _ in
            let model = { (place: Int) in ModelText.model(ModelFolder.library[place].text).versionChecksum }
            let run = try ToolRun(["model", "show", "Library.momd"], in: folder)
            #expect(
                run.output == """
                    Library.momd, version 'Library 2'
                      checksum     \(model(1))

                    version    current  checksum
                    Library             \(model(0))
                    Library 2  current  \(model(1))

                    entity Author
                    attribute  type    optional  default  more
                    name       String  no        none
                    relationship  destination  kind     inverse      delete rule  optional  more
                    books         Book         to-many  Book.author  nullify      yes

                    entity Book: renaming identifier Volume
                    attribute  type        optional  default  more
                    pages      Integer 32  no        0
                    subtitle   String      yes       none
                    title      String      yes       none     indexed; renaming identifier name
                    relationship  destination  kind    inverse       delete rule  optional  more
                    author        Author       to-one  Author.books  nullify      yes
                    index title: title
                    unique title

                    entity Shelf
                    attribute  type    optional  default  more
                    room       String  yes       none

                    """)
            let one = try ToolRun(["model", "show", "Library.momd", "Shelf"], in: folder)
            #expect(
                one.output
                    == "entity Shelf\nattribute  type    optional  default  more\nroom       String  yes       none\n")
            let unknown = try ToolRun(["model", "show", "Library.momd", "Shelv"], in: folder)
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("has no entity 'Shelv'; is 'Shelf' meant?"))
            let json = try ToolRun(["model", "show", "Library.momd", "Book", "--json"], in: folder).json()
            let attributes = (json as? [String: Any])?["attributes"] as? [[String: Any]]
            #expect(attributes?.map { $0["name"] as? String } == ["pages", "subtitle", "title"])
            #expect(attributes?[0]["default"] as? Int == 0)
            #expect(attributes?[0]["isOptional"] as? Bool == false)
        }
    }

    @Test("Templates, configurations, indexes and limits are shown, and no text of a model moves the cursor")
    func showMore() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Book\n  title string\n  year int16")
            let book = try #require(model.entitiesByName["Book"])
            let (title, year) = (
                try #require(book.attributesByName["title"]), try #require(book.attributesByName["year"])
            )
            title.defaultValue = "a\u{1B}[2Jb"
            year.setValidationPredicates([NSPredicate(format: "SELF >= 1900")], withValidationWarnings: ["old"])
            let descending = NSFetchIndexElementDescription(property: year, collationType: .binary)
            descending.isAscending = false
            book.indexes = [
                NSFetchIndexDescription(
                    name: "byTitle",
                    elements: [NSFetchIndexElementDescription(property: title, collationType: .binary), descending])
            ]
            model.setEntities([book], forConfigurationName: "Cloud")
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            request.predicate = NSPredicate(format: "year > $YEAR")
            model.setFetchRequestTemplate(request, forName: "newer")
            try ModelArchive.encode(model).write(to: folder.appendingPathComponent("Books.mom"))
            let run = try ToolRun(["model", "show", "Books.mom"], in: folder)
            #expect(
                run.output == """
                    Books.mom
                      checksum     \(model.versionChecksum)

                    entity Book
                    attribute  type        optional  default  more
                    title      String      yes       a�[2Jb
                    year       Integer 16  yes       none     limits SELF >= 1900
                    index byTitle: title, year descending

                    configuration Cloud: Book

                    template newer: Book where year > $YEAR

                    """)
        }
    }

    // MARK: diff

    @Test("Two versions are compared entity by entity, and a migration between them is described")
    func diff() throws {
        try ModelFolder.withLibrary { folder, _ in
            let run = try ToolRun(["model", "diff", "Library.momd"], in: folder)
            let rest = run.output.suffix(from: try #require(run.output.range(of: "\nA migration")?.lowerBound))
            #expect(
                run.output == """
                    Library.momd: 'Library' → 'Library 2'

                    ~ entity Author (by what its relationships lead to)

                    > entity Book (was Volume)
                      ~ attribute pages, type: Integer 16 → Integer 32
                      ~ attribute pages, optional: yes → no
                      ~ attribute pages, default: none → 0
                      + attribute subtitle: String, optional
                      > attribute title (was name)
                      ~ attribute title, indexed: no → yes
                      - attribute isbn: String, optional
                      + index title: title
                      + constraint title

                    + entity Shelf

                    """ + rest, "\(run.output)")
            #expect(run.output.contains("A migration is possible; its time grows with the number of rows."))
            #expect(run.output.contains("instant  rename table ZVOLUME to ZBOOK"), "\(run.output)")
            #expect(
                run.output.contains(
                    "If 'Book.subtitle' is what 'isbn' was, give it the renaming identifier 'isbn'"))
            #expect(run.status == 1)
            let same = try ToolRun(["model", "diff", "Library.momd", "Library.momd/Library 2.mom"], in: folder)
            #expect(same.status == 0)
            #expect(same.output == "Library.momd, version 'Library 2' and Library.momd/Library 2.mom are equal\n")
            try withStore(folder.appendingPathComponent("l.sqlite"), ModelText.model(ModelFolder.library[0].text)) {
                _ in
            }
            let store = try ToolRun(["model", "diff", "l.sqlite", "Library.momd"], in: folder)
            let title = "l.sqlite → Library.momd, version 'Library 2'\n"
            #expect(store.output == title + run.output.drop { $0 != "\n" }.dropFirst(), "\(store.output)")
            let first = try ToolRun(["model", "diff", "Library.momd", "--to", "Library"], in: folder)
            #expect(first.status == 2)
            #expect(first.errors.contains("Library.momd has no version before 'Library'"))
        }
    }

    @Test("A change that cannot be inferred stands with its entity and a remedy")
    func notInferred() throws {
        try withTemporaryFolder { folder in
            try ModelFolder.compiled(
                "Depot", [("1", DepotModels.versions[1]), ("2", DepotModels.versions[2])], current: "2", in: folder)
            let run = try ToolRun(["model", "diff", "Depot.momd"], in: folder)
            #expect(run.status == 1)
            #expect(
                run.output.contains("~ entity Item\n  ~ attribute size, type: String → Integer 32\n"))
            #expect(run.output.contains("\n  ! "))
            #expect(run.output.contains("A migration cannot be inferred:"))
            let json = try ToolRun(["model", "diff", "Depot.momd", "--json"], in: folder).json() as? [String: Any]
            let migration = json?["migration"] as? [String: Any]
            #expect(migration?["isPossible"] as? Bool == false)
            let obstacle = (migration?["obstacles"] as? [[String: Any]])?.first
            #expect(obstacle?["entity"] as? String == "Item")
            #expect(obstacle?["property"] as? String == "size")
            #expect((obstacle?["help"] as? String)?.isEmpty == false)
        }
    }

    @Test("A change that no store notices needs no migration")
    func unnoticed() throws {
        try withTemporaryFolder { folder in
            let (one, other) = (ModelText.model("entity A\n  b int32"), ModelText.model("entity A\n  b int32 = 5"))
            try ModelFolder.compiled("A", [("1", one), ("2", other)], current: "2", in: folder)
            let run = try ToolRun(["model", "diff", "A.momd"], in: folder)
            #expect(
                run.output == """
                    A.momd: '1' → '2'

                    ~ entity A (stores stay as they are)
                      ~ attribute b, default: none → 5

                    No migration: a store of the one opens with the other.

                    """)
            #expect(run.status == 1)
        }
    }

    @Test(
        "Every pair of versions of every real bundle is compared; versions without a difference have the same hashes",
        .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
    func corpusDiff() throws {
        var compared = 0
        let bundles = Corpus.paths { $0.hasSuffix(".xcdatamodeld") && !$0.contains("@history") }
        for path in Sample.slice(bundles, oneIn: 5, "diff") {
            let url = Corpus.url(path)
            guard let versions = try? NSManagedObjectModel.versions(contentsOf: url), versions.count > 1 else {
                continue
            }
            for (older, newer) in zip(versions, versions.dropFirst()).prefix(4) {
                let run = try ToolRun([
                    "model", "diff", url.path, "--from", older.name, "--to", newer.name, "--json",
                ])
                try #require([0, 1].contains(run.status), "\(path): \(run.errors)")
                let json = try #require(try run.json() as? [String: Any])
                let isSame = older.model.versionChecksum == newer.model.versionChecksum
                if json["isSame"] as? Bool == true { #expect(isSame, "\(path)") }
                #expect(json["failure"] is NSNull, "\(path): \(json["failure"] ?? "")")
                let migration = json["migration"] as? [String: Any]
                if let migration { #expect(migration["isMigrationRequired"] as? Bool == !isSame, "\(path)") }
                compared += 1
            }
        }
        #expect(compared > (Sample.isWhole ? 10 : 0))
    }

    // MARK: lint

    @Test("Every rule finds its own violations, and nothing else")
    func lint() throws {
        try withTemporaryFolder { folder in
            _ = try ModelFolder.source(
                "Bad",
                """
                <entity name="Photo" representedClassName="Photo">
                    <attribute name="pixels" optional="YES" attributeType="Binary"/>
                    <attribute name="initial" optional="YES" attributeType="Double" derived="YES"
                        derivationExpression="canonical:(newest)"/>
                    <attribute name="dimensions" optional="YES" attributeType="Composite" composite="Dimensions"/>
                    <attribute name="isFault" optional="YES" attributeType="String"/>
                    <attribute name="class" optional="YES" attributeType="String"/>
                    <attribute name="newName" optional="YES" attributeType="String"/>
                    <attribute name="newest" optional="YES" attributeType="String"/>
                    <attribute name="repeat" optional="YES" attributeType="String"/>
                    <attribute name="size" optional="YES" attributeType="Integer 32"/>
                    <attribute name="taken" optional="YES" attributeType="Date"/>
                    <attribute name="width" optional="YES" attributeType="Integer 32"/>
                    <attribute name="height" optional="YES" attributeType="Integer 32" defaultValueString="0"/>
                    <attribute name="isNew" optional="YES" attributeType="Boolean"/>
                    <attribute name="tint" optional="YES" attributeType="Transformable"/>
                    <attribute name="place" optional="YES" attributeType="Transformable"
                        valueTransformerName="NSKeyedUnarchiveFromData"/>
                    <attribute name="safe" optional="YES" attributeType="Transformable"
                        valueTransformerName="NSSecureUnarchiveFromData"/>
                    <relationship name="album" optional="YES" maxCount="1" deletionRule="Nullify"
                        destinationEntity="Album"/>
                    <relationship name="owner" maxCount="1" deletionRule="Nullify" destinationEntity="Owner"
                        inverseName="photos" inverseEntity="Owner"/>
                    <fetchIndex name="byHeight">
                        <fetchIndexElement property="height" type="Binary" order="ascending"/>
                    </fetchIndex>
                </entity>
                <entity name="Album" representedClassName="Album">
                    <relationship name="pictures" optional="YES" toMany="YES" deletionRule="Nullify"
                        destinationEntity="Photo"/>
                </entity>
                <entity name="Set" representedClassName="PhotoSet">
                    <relationship name="photos" optional="YES" toMany="YES" deletionRule="Cascade"
                        destinationEntity="Photo" inverseName="owner" inverseEntity="Photo"/>
                </entity>
                <entity name="Owner" representedClassName="Owner">
                    <relationship name="photos" optional="YES" toMany="YES" deletionRule="Nullify"
                        destinationEntity="Photo" inverseName="owner" inverseEntity="Photo"/>
                </entity>
                <composite name="Dimensions">
                    <attribute name="depth" attributeType="Double"/>
                </composite>
                <fetchRequest name="Wide" entity="Photo" predicateString="width &gt; 100 AND height &gt; 100"/>
                <fetchRequest name="Late" entity="Photo" predicateString="taken &gt; $DATE AND missing == 1"/>
                """, in: folder)
            let run = try ToolRun(["model", "lint", "Bad.xcdatamodel"], in: folder)
            let rows = run.output.split(separator: "\n").dropFirst().map { $0.dropFirst(2) }
            #expect(rows.allSatisfy { $0.hasPrefix("line ") }, "\(run.output)")
            // The request of a template has the fault, and not the entity.
            #expect(rows.contains { $0.hasPrefix("line 47: Photo: template 'Late'") }, "\(run.output)")
            let lines = rows.map { row in row.range(of: ": ").map { row[$0.upperBound...] } ?? row }
            let expected = [
                "Album.pictures: it has no inverse: when an object of Photo is deleted, references to it stay; name "
                    + "'Photo.album' as its inverse, and 'Album.pictures' as the inverse of that",
                "Owner.photos: its delete rule is 'nullify', but 'Photo.owner' is not optional",
                "Photo: template 'Late' compares 'missing', but Photo has no 'missing'",
                "Photo.album: it has no inverse: when an object of Album is deleted, references to it stay; name "
                    + "'Album.pictures' as its inverse",
                "Photo.class: the name is taken: every managed object has a member of that name",
                "Photo.dimensions: it is optional, and its element 'depth' is mandatory",
                "Photo.initial: its expression gives text, and its type is another one",
                "Photo.isFault: the name is taken: every managed object has a member of that name",
                "Photo.isNew: it is neither yes nor no where it has no value",
                "Photo.newName: the name is taken: Objective-C takes",
                "Photo.pixels: values of any size lie in the rows",
                "Photo.place: values of any size lie in the rows",
                "Photo.place: its transformer makes objects of any class",
                "Photo.repeat: the name is taken: it is a keyword of Swift, and has to be written '`repeat`'",
                "Photo.safe: values of any size lie in the rows",
                "Photo.size: the name is taken: the format of predicates has a word of that name",
                "Photo.taken: template 'Late' compares it, and no index begins with it",
                "Photo.tint: values of any size lie in the rows",
                "Photo.tint: it names no transformer",
                "Photo.width: template 'Wide' compares it, and no index begins with it",
                "Photo.width: template 'Wide' compares it, and it is optional without a default value",
                "Set: the name is taken: Swift or its libraries have a type of that name",
                "Set.photos: its inverse 'Photo.owner' leads to Owner; name one that leads to Set",
            ]
            #expect(lines.count == expected.count, "\(run.output)\(run.errors)")
            for (line, start) in zip(lines, expected) { #expect(line.hasPrefix(start), "\(line)") }
            #expect(run.status == 1)
            let json = try ToolRun(["model", "lint", "Bad.xcdatamodel", "--json"], in: folder).json()
            let first = (json as? [[String: Any]])?.first
            #expect(first?["rule"] as? String == "inverse")
            #expect(first?["property"] as? String == "pictures")
        }
    }

    @Test("A model without fault is called so")
    func lintNothing() throws {
        try ModelFolder.withLibrary { folder, _ in
            let run = try ToolRun(["model", "lint", "Library.momd"], in: folder)
            #expect(run.output == "Library.momd, version 'Library 2': nothing to say\n")
            #expect(run.status == 0)
        }
    }
}
