import Foundation

/// Tells how far a migration by a mapping model is: rows made in the first pass, rows linked in the second.
struct MigrationReport {
    private let followers: [Progress]
    private var rows = 0
    private var done = 0
    private var linksInAll = 0
    private var isSecondPass = false
    private var lastUpdate = ContinuousClock.now
    private static let pause = Duration.milliseconds(25)

    init(_ followers: [Progress]) { self.followers = followers }

    mutating func begin(rows: Int) {
        self.rows = rows
        for progress in followers {
            // The last unit is for what comes after the last row.
            progress.totalUnitCount = Int64(2 * rows + 1)
            progress.completedUnitCount = 0
        }
    }

    mutating func beginSecondPass(of links: Int) {
        isSecondPass = true
        linksInAll = links
        done = 0
        publish()
    }

    mutating func advance(_ count: Int = 1) {
        done += count
        if ContinuousClock.now - lastUpdate >= Self.pause { publish() }
    }

    private mutating func publish() {
        let units = isSecondPass ? rows + rows * min(done, linksInAll) / max(1, linksInAll) : min(done, rows)
        for progress in followers where units > progress.completedUnitCount {
            progress.completedUnitCount = Int64(units)
        }
        lastUpdate = .now
    }

    func finish() {
        for progress in followers { progress.completedUnitCount = progress.totalUnitCount }
    }
}
