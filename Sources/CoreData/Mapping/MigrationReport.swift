import Foundation

/// The progress of a migration by a mapping model: rows made in the first pass, rows linked in the second.
final class MigrationReport {
    private let followers: [Progress]
    private let feed: MigrationFeed?
    private var rows = 0
    private var done = 0
    private var doneBefore = 0
    /// The work of the second pass in units of the first pass's rows, the part of it that is done, and the work of one
    /// row.
    private var workInAll = 0.0
    private var workDone = 0.0
    private var workPerRow = 0.0
    /// The share of the first pass in the whole.
    private var firstShare = 0.5
    private(set) var isSecondPass = false
    private var lastUpdate = ContinuousClock.now
    private static let pause = Duration.milliseconds(25)

    /// Called after the progress was updated.
    private let afterUpdate: () -> Void

    init(_ followers: [Progress], afterUpdate: @escaping () -> Void) {
        self.followers = followers
        self.afterUpdate = afterUpdate
        feed = followers.lazy.compactMap { MigrationFeed.of($0) }.first
        feed?.begin(.preparing)
    }

    /// - Parameter later: The work of the second pass, in units of the first pass's rows.
    func begin(rows: Int, later: Double) {
        self.rows = rows
        firstShare = min(max(Double(rows) / max(1, Double(rows) + later), 0.1), 0.95)
        for progress in followers {
            // The last unit is for the work after the last row.
            progress.totalUnitCount = Int64(2 * rows + 1)
            progress.completedUnitCount = 0
        }
        afterUpdate()
    }

    /// Begins the objects of an entity mapping. `work` is their whole work in the second pass.
    func begin(_ entity: String?, rows: Int, work: Double = 0) {
        publish()
        doneBefore = done
        workPerRow = work / Double(max(1, rows))
        feed?.begin(isSecondPass ? .creatingRelationships : .creatingObjects, entity: entity, rows: rows)
    }

    func beginSecondPass(of work: Double) {
        publish()
        isSecondPass = true
        workInAll = work
        done = 0
        publish()
    }

    func beginValidation() { feed?.begin(.validating) }

    func advance(_ count: Int = 1) {
        done += count
        if isSecondPass { workDone += workPerRow * Double(count) }
        if ContinuousClock.now - lastUpdate >= Self.pause { publish() }
    }

    private func publish() {
        let part =
            isSecondPass
            ? workInAll > 0 ? min(1, workDone / workInAll) : 0 : min(1, Double(done) / Double(max(1, rows)))
        let fraction = isSecondPass ? firstShare + (1 - firstShare) * part : firstShare * part
        let units = Int(Double(2 * rows) * fraction)
        for progress in followers where units > progress.completedUnitCount {
            progress.completedUnitCount = Int64(units)
        }
        feed?.update(rows: done - doneBefore, fraction: fraction)
        lastUpdate = .now
        afterUpdate()
    }

    /// Begins the closing of the new store.
    func beginEnd() {
        publish()
        feed?.begin(.finishing)
    }

    func finish() {
        feed?.update(fraction: 1)
        for progress in followers { progress.completedUnitCount = progress.totalUnitCount }
        afterUpdate()
    }
}
