import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Conflicts between processes, by merge policy", .leavesNothingBehind)
struct ProcessConflictTests {
    private let rounds = 40

    /// A library with one book that writers count in.
    private func countingLibrary() throws -> Library {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": "counter", "pages": 0, "copies": 0, "rating": 0])
            try context.save()
        }
        return library
    }

    /// Runs writers at the same time, each of which must report that all its rounds were saved. Returns their
    /// conflicts.
    private func run(_ library: Library, writers: Int = 3, _ arguments: [String]) throws -> Int {
        let children = try (0..<writers).map {
            try ChildProgram("writer-child", [library.storeURL.path, "w\($0)", "\(rounds)"] + arguments)
        }
        var conflicts = 0
        for child in children {
            let end = child.wait()
            #expect(end.status == 0)
            #expect(end.output.hasPrefix("saved \(rounds) conflicts "))
            conflicts += end.output.split(separator: " ").last.flatMap { Int($0.dropLast()) } ?? 0
        }
        return conflicts
    }

    @Test(
        "Every save of every process counts, and no property that one of them has for itself is lost",
        arguments: ["0", "1", "2", "3", "4", "adding"])
    func counting(policy: String) throws {
        let library = try countingLibrary()
        _ = try run(library, [policy])
        let raw = try RawDatabase(library.storeURL)
        let counts = try raw.rows("SELECT ZPAGES, ZCOPIES, CAST(ZRATING AS INTEGER) FROM ZBOOK")[0]
        if policy == "\(NSMergePolicyType.overwriteMergePolicyType.rawValue)" {
            // An overwriting save sets the properties of the other writers back to its own values; the last one's own
            // is whole.
            #expect(counts.contains(.int(Int64(rounds))))
        } else {
            #expect(counts == Array(repeating: .int(Int64(rounds)), count: 3))
        }
        // A save that had not been made on the newest row would have taken a version twice.
        #expect(try raw.integer("SELECT Z_OPT FROM ZBOOK") == Int64(3 * rounds + 1))
        #expect(try raw.integrityCheck() == ["ok"])
    }

    @Test(
        "Processes that count in one property lose no addition where they repeat refused and dropped saves",
        arguments: ["0", "1", "4"], [2, 3])
    func countingTogether(policy: String, writers: Int) throws {
        let library = try countingLibrary()
        let conflicts = try run(library, writers: writers, [policy, "shared"])
        let raw = try RawDatabase(library.storeURL)
        #expect(try raw.integer("SELECT ZPAGES / 10 FROM ZBOOK") == Int64(writers * rounds))
        let saves = try #require(try raw.integer("SELECT Z_OPT FROM ZBOOK")) - 1
        // A change that a policy drops may still be a save of the row.
        #expect((writers * rounds...writers * rounds + conflicts).contains(Int(saves)))
    }

    @Test("A policy of one's own that adds both sides' additions loses none, and repeats none", arguments: [2, 3])
    func adding(writers: Int) throws {
        let library = try countingLibrary()
        #expect(try run(library, writers: writers, ["adding", "shared"]) == 0)
        let raw = try RawDatabase(library.storeURL)
        #expect(try raw.integer("SELECT ZPAGES FROM ZBOOK") == Int64(writers * rounds))
        #expect(try raw.integer("SELECT Z_OPT FROM ZBOOK") == Int64(writers * rounds + 1))
    }

    @Test(
        "The last write to a property of several processes is whole, and every save takes a version",
        arguments: [
            NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        ])
    func trumping(policy: NSMergePolicyType) throws {
        let library = try countingLibrary()
        #expect(try run(library, ["\(policy.rawValue)", "shared"]) == 0)
        let raw = try RawDatabase(library.storeURL)
        #expect(try #require(try raw.integer("SELECT ZPAGES / 10 FROM ZBOOK")) >= rounds)
        #expect(try raw.integer("SELECT Z_OPT FROM ZBOOK") == Int64(3 * rounds + 1))
    }

    @Test(
        "Processes that insert the same unique values end with one object each, and everything that belongs to it",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func registering(policy: NSMergePolicyType) throws {
        let library = try Library.registry()
        _ = try run(library, ["\(policy.rawValue)", "registry"])
        let raw = try RawDatabase(library.storeURL)
        #expect(try raw.integer("SELECT count(*) FROM ZPERSON") == Int64(rounds))
        #expect(try raw.integer("SELECT count(DISTINCT ZCODE) FROM ZPERSON") == Int64(rounds))
        #expect(
            try raw.integer("SELECT count(*) FROM ZPET JOIN ZPERSON ON ZPET.ZOWNER = ZPERSON.Z_PK") == Int64(3 * rounds)
        )
    }
}
