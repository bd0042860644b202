import Foundation
import TestSupport
import Testing

@Suite("Killing a launching program")
struct KilledLaunchTests {
    /// Of each kind: a few in an ordinary run; in a long one as many as are given.
    private static func kills(_ count: Int) -> Int { isLong ? count : min(count, 4) }

    @Test("The next launch after every kill is ready with all rows and repeats nothing that was finished")
    func killedAnywhere() throws {
        try withTemporaryFolder { folder in
            let template = folder.appendingPathComponent("template.sqlite")
            try LaunchStores.make(at: template, books: 5_000)
            let met = try killAtRandom("launch", folder, template, kills: Self.kills(200), rows: "5000 100 50") {
                try LaunchStores.isOlder($0)
            }
            if isLong {
                #expect(met.before > 0)
                #expect(met.after > 0)
            }
        }
    }

    @Test("A migration in stages continues after every kill with the stage that was not finished")
    func killedBetweenStages() throws {
        try withTemporaryFolder { folder in
            let template = folder.appendingPathComponent("template.sqlite")
            try DepotModels.fill(template, DepotModels.stages[0], items: 300)
            let older = ModelText.model(DepotModels.stages[0])
            let met = try killAtRandom("stages", folder, template, kills: Self.kills(200), rows: "300 10 7") { url in
                try LaunchStores.isCompatible(url, older)
            }
            if isLong {
                #expect(met.before > 0)
                #expect(met.after > 0)
                #expect(met.resumed > 0)
            }
        }
    }

    @Test("A store whose making was killed is made by the next launch")
    func killedWhileMaking() throws {
        try withTemporaryFolder { folder in
            _ = try killAtRandom("launch", folder, nil, kills: Self.kills(100), rows: "0 0 0") { _ in false }
        }
    }

    @Test("A migration object by object into a copy is made anew after a kill, and leaves no copy behind")
    func killedWhileMapping() throws {
        try withTemporaryFolder { folder in
            let template = folder.appendingPathComponent("template.sqlite")
            try LaunchStores.make(at: template, books: 500)
            let met = try killAtRandom("mapping", folder, template, kills: Self.kills(100), rows: "500 100 50") {
                try LaunchStores.isOlder($0)
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!files.contains { $0.contains("migrated") }, "\(files)")
            if isLong {
                #expect(met.before > 0)
                #expect(met.after > 0)
            }
        }
    }

    /// Kills launches at random moments, one to three in a row on the same store, then lets one end.
    ///
    /// - Returns: after how many rows of kills the store was of the older version, and of the newer; and how many
    ///   launches left out stages that were finished before.
    private func killAtRandom(
        _ way: String, _ folder: URL, _ template: URL?, kills count: Int, rows: String, isOlder: (URL) throws -> Bool
    ) throws -> (before: Int, after: Int, resumed: Int) {
        let url = folder.appendingPathComponent("n.sqlite")
        try LaunchStores.copy(template, to: url)
        let length = try launch(way, url).seconds

        var generator = Sample.generator(way)
        var kills = 0
        var met = (before: 0, after: 0, resumed: 0)
        while kills < count {
            try LaunchStores.copy(template, to: url)
            var hadMigrated = false
            // The latest stage that has begun: those before it are finished.
            var stage = 0
            func lookAtStages(_ output: String) {
                let begun = output.split(separator: "\n").compactMap { line -> Int? in
                    line.hasPrefix("stage ") ? Int(line.dropFirst(6)) : nil
                }
                guard let first = begun.first, let last = begun.last else { return }
                #expect(begun == Array(first...last), "\(output)")
                #expect(first == stage || first == stage + 1, "after stage \(stage): \(output)")
                met.resumed += first > 0 ? 1 : 0
                stage = last
            }
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let killed = try launch(way, url, killedAfter: Double.random(in: 0...1.1, using: &generator) * length)
                kills += 1
                #expect(!(hadMigrated && killed.output.contains("migrating")), "a finished migration began again")
                hadMigrated = hadMigrated || killed.output.contains("opening")
                lookAtStages(killed.output)
            }
            let isOlder = try isOlder(url)
            #expect(!(hadMigrated && isOlder), "a finished migration was lost")
            met.before += isOlder ? 1 : 0
            met.after += isOlder ? 0 : 1
            let last = try launch(way, url)
            #expect(last.output.contains("migrating") == isOlder, "\(last.output)")
            #expect(last.output.hasSuffix("ready\nrows \(rows)\ndone\n"), "\(last.output)")
            lookAtStages(last.output)
        }
        print("\(way): \(kills) kills, \(met.before) stores older, \(met.after) newer, \(met.resumed) resumed")
        return met
    }

    /// One launch: its output, and how long it took from its start.
    private func launch(
        _ way: String, _ url: URL, killedAfter moment: Double? = nil
    ) throws -> (output: String, seconds: Double) {
        let start = ContinuousClock.now
        let child = try ChildProgram("launch-child", [way, url.path])
        if let moment {
            usleep(UInt32(moment * 1_000_000))
            child.kill()
        }
        let end = child.wait()
        if moment == nil { #expect(end.status == 0 && !end.wasKilled, "\(end.output)") }
        return (end.output, (ContinuousClock.now - start) / .seconds(1))
    }
}
