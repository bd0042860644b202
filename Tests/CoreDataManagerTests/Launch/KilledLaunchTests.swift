import Foundation
import TestSupport
import Testing

@Suite("Killing a launching program")
struct KilledLaunchTests {
    /// 12 in an ordinary run, 200 in a long one.
    private static let kills = isLong ? 200 : 12

    @Test("After every kill the next launch is ready with all rows and repeats nothing that was finished")
    func killedAnywhere() throws {
        try withTemporaryFolder { folder in
            let template = folder.appendingPathComponent("template.sqlite")
            try LaunchStores.make(at: template, books: 5_000)
            let url = folder.appendingPathComponent("n.sqlite")
            try LaunchStores.copy(template, to: url)
            let length = try launch(url).seconds

            var generator = SplitMix(state: 20_261_120)
            var kills = 0
            var metBefore = 0
            var metAfter = 0
            while kills < Self.kills {
                try LaunchStores.copy(template, to: url)
                // One to three kills in a row on the same store, then a launch that may end.
                var hadMigrated = false
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let killed = try launch(url, killedAfter: Double.random(in: 0...1.1, using: &generator) * length)
                    kills += 1
                    #expect(!(hadMigrated && killed.output.contains("migrating")), "a finished migration began again")
                    hadMigrated = hadMigrated || killed.output.contains("opening")
                }
                let isOlder = try LaunchStores.isOlder(url)
                #expect(!(hadMigrated && isOlder), "a finished migration was lost")
                metBefore += isOlder ? 1 : 0
                metAfter += isOlder ? 0 : 1
                let last = try launch(url)
                #expect(last.output.contains("migrating") == isOlder, "\(last.output)")
                #expect(last.output.hasSuffix("ready\nrows 5000 100 50\ndone\n"), "\(last.output)")
            }
            if isLong {
                #expect(metBefore > 0)
                #expect(metAfter > 0)
            }
        }
    }

    /// One launch: what it said, and how long it took from its first word.
    private func launch(_ url: URL, killedAfter moment: Double? = nil) throws -> (output: String, seconds: Double) {
        let start = ContinuousClock.now
        let child = try ChildProgram("launch-child", ["launch", url.path])
        if let moment {
            usleep(UInt32(moment * 1_000_000))
            child.kill()
        }
        let end = child.wait()
        if moment == nil { #expect(end.status == 0 && !end.wasKilled, "\(end.output)") }
        return (end.output, (ContinuousClock.now - start) / .seconds(1))
    }
}
