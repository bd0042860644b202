import CoreData
import Foundation
import SwiftData
import TestSupport

/// What actors have to know of the run.
struct SoakSurroundings: Sendable {
    let place: SoakPlace
    let tally: Tally
    /// The phase of the run in which they work.
    let phase: Int

    var goOn: Bool { !place.isStopped && place.phase == phase }

    /// Counts an error that the surroundings explain, and complains of any other one.
    func judge(_ error: any Error, _ name: String) {
        let cause = (error as? SwiftDataError)?.underlyingError ?? error
        switch (cause as NSError).code {
        case NSFileWriteOutOfSpaceError: tally.count("full")
        case NSPersistentStoreTimeoutError: tally.count("locked")
        // Another process has migrated the store to the next version, and this one is not yet closed.
        case _ where place.phase != phase: tally.count("old-version")
        default: complain("\(name): \(error) \((cause as NSError).userInfo)")
        }
    }
}

/// Works on the store by the models of SwiftData: actors that save, one that follows the history, and observers.
final class SoakModelRun: Sendable {
    private let place: SoakPlace
    private let tally: Tally
    private let seed: UInt64
    private let ledgers: [Ledger]

    init(_ place: SoakPlace, tally: Tally, name: String, seed: UInt64) {
        self.place = place
        self.tally = tally
        self.seed = seed
        ledgers = ["a", "b"].map { Ledger(name: name + $0) }
    }

    /// Works until the driver stops the run.
    func run() async {
        var round: UInt64 = 0
        while !place.isStopped {
            let surroundings = SoakSurroundings(place: place, tally: tally, phase: place.phase)
            round += 1
            if surroundings.phase & 1 == 0 {
                await work(SoakSchema0.self, surroundings, seed &+ round)
            } else {
                await work(SoakSchema1.self, surroundings, seed &+ round)
            }
        }
    }

    /// Opens the store, and migrates it to the version, while other processes do so as well. Nil where the store is no
    /// longer needed.
    private func container<Schema: SoakSchema>(
        _ schema: Schema.Type, _ surroundings: SoakSurroundings
    ) -> ModelContainer? {
        var configuration = ModelConfiguration(url: place.url)
        // The older version has no place for this class, which has no models.
        configuration.allowedLosses = ["Extra"]
        while surroundings.goOn {
            do {
                let container = try tally.timed("opening") {
                    try ModelContainer(for: SwiftData.Schema(Schema.types), configurations: configuration)
                }
                tally.count("openings")
                return container
            } catch {
                surroundings.judge(error, "opening")
            }
        }
        return nil
    }

    private func work<Schema: SoakSchema>(
        _ schema: Schema.Type, _ surroundings: SoakSurroundings, _ seed: UInt64
    ) async {
        guard let container = container(schema, surroundings) else { return }
        let history = HistoryFollower(modelContainer: container)
        let (accounts, entries) = (
            ResultsFollower(modelContainer: container), ResultsFollower(modelContainer: container)
        )
        do {
            try await accounts.begin(Schema.Account.all, text: Self.text)
            try await entries.begin(Schema.Entry.all(of: ledgers[0].name), text: Self.text)
        } catch {
            surroundings.judge(error, "observing")
        }
        await withTaskGroup(of: Void.self) { group in
            for (number, ledger) in ledgers.enumerated() {
                let keeper = EntryKeeper(modelContainer: container)
                group.addTask {
                    await keeper.work(schema, ledger, surroundings, seed: seed &* 31 &+ UInt64(number))
                }
            }
            group.addTask { await history.work(schema, surroundings) }
        }
        if place.isStopped, place.phase == surroundings.phase { await compare(schema, history, accounts, entries) }
        for follower in [accounts, entries] {
            tally.count("signals", await follower.signals)
            await follower.end()
        }
    }

    private static func text(_ account: some SoakAccount) -> String {
        "\(account.name ?? ""): \(account.balance ?? -1)"
    }

    private static func text(_ entry: some SoakEntry) -> String { "\(entry.number ?? -1): \(entry.words ?? "")" }

    /// Compares what the followers have with fetches of another container, at the end of the run. All processes end, so
    /// the comparisons do as well, unless a follower is stale.
    private func compare<Schema: SoakSchema>(
        _ schema: Schema.Type, _ history: HistoryFollower, _ accounts: ResultsFollower, _ entries: ResultsFollower
    ) async {
        do {
            let fresh = try ModelContainer(
                for: SwiftData.Schema(Schema.types), configurations: ModelConfiguration(url: place.url))
            while try await !history.compare(schema) { await Task.yield() }
            let descriptor = Schema.Entry.all(of: ledgers[0].name)
            while try await accounts.latest != ResultsFollower.text(Schema.Account.all, in: fresh, text: Self.text) {
                await Task.yield()
            }
            while try await entries.latest != ResultsFollower.text(descriptor, in: fresh, text: Self.text) {
                await Task.yield()
            }
            tally.count("compared")
        } catch {
            complain("comparing: \(error)")
        }
    }
}
