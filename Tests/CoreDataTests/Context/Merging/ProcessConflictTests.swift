import CoreData
import TestSupport
import Testing

@Suite("Conflicts between processes, by merge policy")
struct ProcessConflictTests {
    private let rounds = 40

    @Test(
        "Every save of every process counts, and no property that one of them has for itself is lost",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func counting(policy: NSMergePolicyType) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": "counter", "pages": 0, "copies": 0, "rating": 0])
            try context.save()
        }
        let children = try (0..<3).map {
            try ChildProgram("writer-child", [library.storeURL.path, "w\($0)", "\(rounds)", "\(policy.rawValue)"])
        }
        for child in children {
            let end = child.wait()
            #expect(end.status == 0)
            #expect(end.output.hasPrefix("saved \(rounds) "))
        }
        let raw = try RawDatabase(library.storeURL)
        // A save that had not been made on the newest row would have taken a version twice.
        #expect(try raw.integer("SELECT Z_OPT FROM ZBOOK") == Int64(3 * rounds + 1))
        let counts = try raw.rows("SELECT ZPAGES, ZCOPIES, CAST(ZRATING AS INTEGER) FROM ZBOOK")[0]
        if policy == .overwriteMergePolicyType {
            // Who overwrites takes the others' properties back to what it has; the last one's own is whole.
            #expect(counts.contains(.int(Int64(rounds))))
        } else {
            #expect(counts == Array(repeating: .int(Int64(rounds)), count: 3))
        }
        #expect(try raw.integrityCheck() == ["ok"])
    }

    @Test(
        "Processes that insert the same unique values end with one object each, and everything that belongs to it",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func registering(policy: NSMergePolicyType) throws {
        let library = try Library.registry()
        let children = try (0..<3).map {
            try ChildProgram(
                "writer-child", [library.storeURL.path, "r\($0)", "\(rounds)", "\(policy.rawValue)", "registry"])
        }
        for child in children {
            let end = child.wait()
            #expect(end.status == 0)
            #expect(end.output.hasPrefix("saved \(rounds) "))
        }
        let raw = try RawDatabase(library.storeURL)
        #expect(try raw.integer("SELECT count(*) FROM ZPERSON") == Int64(rounds))
        #expect(try raw.integer("SELECT count(DISTINCT ZCODE) FROM ZPERSON") == Int64(rounds))
        #expect(
            try raw.integer("SELECT count(*) FROM ZPET JOIN ZPERSON ON ZPET.ZOWNER = ZPERSON.Z_PK") == Int64(3 * rounds)
        )
    }
}
