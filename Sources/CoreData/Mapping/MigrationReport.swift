import Foundation

/// Tells how far a migration by a mapping model is: rows made in the first pass, rows linked in the second.
final class MigrationReport {
    private let followers: [Progress]
    private let feed: MigrationFeed?
    private var rows = 0
    private var done = 0
    private var doneBefore = 0
    private var linksInAll = 0
    private(set) var isSecondPass = false
    private var lastUpdate = ContinuousClock.now
    private static let pause = Duration.milliseconds(25)

    init(_ followers: [Progress]) {
        self.followers = followers
        feed = followers.lazy.compactMap { MigrationFeed.of($0) }.first
        feed?.begin(.preparing)
    }

    func begin(rows: Int) {
        self.rows = rows
        for progress in followers {
            // The last unit is for what comes after the last row.
            progress.totalUnitCount = Int64(2 * rows + 1)
            progress.completedUnitCount = 0
        }
    }

    /// The objects of an entity mapping have their turn.
    func begin(_ entity: String?, rows: Int) {
        publish()
        doneBefore = done
        feed?.begin(isSecondPass ? .creatingRelationships : .creatingObjects, entity: entity, rows: rows)
    }

    func beginSecondPass(of links: Int) {
        publish()
        isSecondPass = true
        linksInAll = links
        done = 0
        publish()
    }

    func beginValidation() { feed?.begin(.validating) }

    func advance(_ count: Int = 1) {
        done += count
        if ContinuousClock.now - lastUpdate >= Self.pause { publish() }
    }

    private func publish() {
        let units = isSecondPass ? rows + rows * min(done, linksInAll) / max(1, linksInAll) : min(done, rows)
        for progress in followers where units > progress.completedUnitCount {
            progress.completedUnitCount = Int64(units)
        }
        feed?.update(rows: done - doneBefore, fraction: Double(units) / Double(2 * rows + 1))
        lastUpdate = .now
    }

    /// The new store is closed and put in order.
    func beginEnd() {
        publish()
        feed?.begin(.finishing)
    }

    func finish() {
        feed?.update(fraction: 1)
        for progress in followers { progress.completedUnitCount = progress.totalUnitCount }
    }
}
