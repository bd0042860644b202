import CoreData
import Foundation
import SwiftData
import TestSupport

/// Saves its own entries, and compares them with its ledger.
@ModelActor
actor EntryKeeper {
    private static let most = 100
    private var random = SplitMix(state: 0)

    func work<Schema: SoakSchema>(
        _ schema: Schema.Type, _ ledger: Ledger, _ surroundings: SoakSurroundings, seed: UInt64
    ) {
        random = SplitMix(state: seed)
        modelContext.author = ledger.name
        attempt("check", surroundings) { try check(schema, ledger) }
        while surroundings.goOn {
            if Int.random(in: 0..<20, using: &random) == 0 {
                attempt("check", surroundings) { try check(schema, ledger) }
            } else {
                attempt("save", surroundings) { try save(schema, ledger) }
            }
            surroundings.tally.report()
        }
        attempt("check", surroundings) { try check(schema, ledger) }
    }

    /// Does something; an error has to be one that the surroundings explain, and then nothing has changed.
    private func attempt(_ name: String, _ surroundings: SoakSurroundings, _ body: () throws -> Void) {
        do {
            try surroundings.tally.timed(name, body)
            surroundings.tally.count(name)
        } catch {
            modelContext.rollback()
            surroundings.judge(error, name)
        }
    }

    /// Some new entries, one changed, some gone.
    private func save<Schema: SoakSchema>(_ schema: Schema.Type, _ ledger: Ledger) throws {
        var changes: [Int64: Ledger.Entry?] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let isLarge = Int.random(in: 0..<20, using: &random) == 0
            let number = ledger.newNumber()
            let model = Schema.Entry(number: number, owner: ledger.name)
            modelContext.insert(model)
            let entry = Ledger.Entry(text: "text \(random.next() >> 32)", bytes: isLarge ? 150_000 : 0)
            model.words = entry.text
            if isLarge { model.value = Data(repeating: UInt8(number & 0xFF), count: entry.bytes) }
            changes[number] = entry
        }
        let numbers = ledger.numbers
        if let number = numbers.randomElement(using: &random), var entry = ledger.entries[number],
            let model = try modelContext.fetch(Schema.Entry.one(number, of: ledger.name)).first
        {
            entry.text = "text \(random.next() >> 32)"
            model.words = entry.text
            changes[number] = entry
        }
        let surplus = max(numbers.count - Self.most, 0)
        for number in numbers.prefix(max(surplus, Int.random(in: 0...2, using: &random))) {
            guard let model = try modelContext.fetch(Schema.Entry.one(number, of: ledger.name)).first else { continue }
            modelContext.delete(model)
            changes.updateValue(nil, forKey: number)
        }
        try modelContext.save()
        ledger.acknowledge(changes)
    }

    private func check<Schema: SoakSchema>(_ schema: Schema.Type, _ ledger: Ledger) throws {
        ledger.compare(
            try modelContext.fetch(Schema.Entry.all(of: ledger.name)).map { model in
                (model.number ?? -1, Ledger.Entry(text: model.words ?? "nothing", bytes: model.value?.count ?? 0))
            })
    }
}

/// Follows all entries by the history alone.
@ModelActor
actor HistoryFollower {
    private var token: DefaultHistoryToken?
    private var entries: Set<PersistentIdentifier> = []
    private var hasBegun = false

    /// Begins with what there is now, at first and after the history has been purged behind the token.
    private func begin<Schema: SoakSchema>(_ schema: Schema.Type) throws {
        if hasBegun { return }
        // Changes that come between the token and the fetch are applied twice, which leads to the same entries.
        token = try modelContext.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
        entries = Set(try modelContext.fetchIdentifiers(FetchDescriptor<Schema.Entry>()))
        hasBegun = true
    }

    func work<Schema: SoakSchema>(_ schema: Schema.Type, _ surroundings: SoakSurroundings) async {
        while surroundings.goOn {
            do {
                try begin(schema)
                surroundings.tally.count("transactions", try surroundings.tally.timed("history") { try read() })
                surroundings.tally.count("history-reads")
            } catch SwiftDataError.historyTokenExpired {
                hasBegun = false
                surroundings.tally.count("expired")
            } catch {
                surroundings.judge(error, "history")
            }
            await Task.yield()
        }
    }

    /// Applies what is new.
    ///
    /// - Returns: The number of transactions.
    private func read() throws -> Int {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token { descriptor.predicate = #Predicate { $0.token > token } }
        let transactions = try modelContext.fetchHistory(descriptor)
        for change in transactions.flatMap(\.changes) where change.changedPersistentIdentifier.entityName == "Entry" {
            switch change {
            case .insert: entries.insert(change.changedPersistentIdentifier)
            case .delete: entries.remove(change.changedPersistentIdentifier)
            case .update: break
            }
        }
        token = transactions.last?.token ?? token
        return transactions.count
    }

    /// Compares the entries with those of a fetch, at a moment in which no process saves.
    ///
    /// - Returns: Whether there was such a moment.
    func compare<Schema: SoakSchema>(_ schema: Schema.Type) throws -> Bool {
        do {
            try begin(schema)
            _ = try read()
            let found = Set(try modelContext.fetchIdentifiers(FetchDescriptor<Schema.Entry>()))
            let known = entries
            guard try read() == 0 else { return false }
            if found != known {
                complain(
                    "history: \(known.subtracting(found).count) entries are gone, and \(found.subtracting(known).count) "
                        + "of \(found.count) are unknown")
            }
            return true
        } catch SwiftDataError.historyTokenExpired {
            hasBegun = false
            return false
        }
    }
}

/// Follows the results of a fetch by an observer, and reads them when it signals a change.
@ModelActor
actor ResultsFollower {
    private var read: (() -> String)?
    /// What the results were when the observer signalled the last change.
    private(set) var latest = ""
    private(set) var signals = 0

    func begin<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, text: @escaping @Sendable (Model) -> String
    ) throws {
        let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: modelContext)
        read = { observer.results.map(text).joined(separator: ", ") }
        signals = 0
        watch()
    }

    private func watch() {
        guard let read else { return }
        latest = withObservationTracking {
            read()
        } onChange: { [weak self] in
            Task { await self?.changed() }
        }
    }

    private func changed() {
        signals += 1
        watch()
    }

    /// What a context reads now.
    static func text<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, in container: ModelContainer, text: (Model) -> String
    ) throws -> String { try ModelContext(container).fetch(descriptor).map(text).joined(separator: ", ") }

    /// Lets the observer go.
    func end() { read = nil }
}
