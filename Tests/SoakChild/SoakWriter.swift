import CoreData
import Foundation
import TestSupport

/// Saves and batches, in a mix.
final class SoakWriter {
    private let context: NSManagedObjectContext
    private let names: EntryNames
    private let ledger: Ledger
    private let tally: Tally
    private let place: SoakPlace
    private let begun: Int
    private var random: SplitMix

    private static let most = 200

    init(_ stack: SoakStack, _ names: EntryNames, ledger: Ledger, tally: Tally, place: SoakPlace, seed: UInt64) {
        context = stack.context(ledger.name)
        self.names = names
        self.ledger = ledger
        self.tally = tally
        self.place = place
        begun = place.phase
        random = SplitMix(state: seed)
    }

    func run(while goesOn: () -> Bool) {
        context.performAndWait {
            attempt("check") { try ledger.check(in: context, names) }
            while goesOn() {
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<45: attempt("save", save)
                case 45..<65: attempt("increment", increment)
                case 65..<72: attempt("batch-insert", insertBatch)
                case 72..<79: attempt("batch-update", updateBatch)
                case 79..<86: attempt("batch-delete", deleteBatch)
                case 86..<90: attempt("check") { try ledger.check(in: context, names) }
                case 90..<92: pressMemory()
                default: attempt("count", count)
                }
                tally.report()
            }
            attempt("check") { try ledger.check(in: context, names) }
        }
    }

    /// Does something; an error has to be one that the surroundings explain, and then nothing has changed.
    private func attempt(_ name: String, _ body: () throws -> Void) {
        do {
            try tally.timed(name, body)
            tally.count(name)
        } catch let error as NSError {
            context.reset()
            switch error.code {
            case NSFileWriteOutOfSpaceError: tally.count("full")
            case NSManagedObjectMergeError: tally.count("conflict")
            case NSPersistentStoreTimeoutError: tally.count("locked")
            // Another process has migrated the store to the next version, and this one is not yet closed.
            case _ where place.phase != begun: tally.count("old-version")
            default: complain("\(name): \(error) \(error.userInfo)")
            }
        }
    }

    private func object(_ number: Int64) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        request.predicate = NSPredicate(format: "owner == %@ AND number == %lld", ledger.name, number)
        return try context.fetch(request).first
    }

    private func text() -> String { "text \(UInt32.random(in: 0...UInt32.max, using: &random))" }

    /// Some new entries, one changed, some gone.
    private func save() throws {
        var changes: [Int64: Ledger.Entry?] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let number = ledger.newNumber()
            let isLarge = Int.random(in: 0..<10, using: &random) == 0
            let entry = Ledger.Entry(text: text(), bytes: isLarge ? 150_000 : 0)
            context.make("Entry", [names.text: entry.text, "number": number, "owner": ledger.name])
                .setValue(isLarge ? Data(repeating: UInt8(number & 0xFF), count: entry.bytes) : nil, forKey: "value")
            changes[number] = entry
        }
        let numbers = ledger.numbers
        if let number = numbers.randomElement(using: &random), let object = try object(number),
            var entry = ledger.entries[number]
        {
            entry.text = text()
            object.setValue(entry.text, forKey: names.text)
            changes[number] = entry
        }
        let surplus = max(numbers.count - Self.most, 0)
        for number in numbers.prefix(max(surplus, Int.random(in: 0...2, using: &random))) {
            guard let object = try object(number) else { continue }
            context.delete(object)
            changes.updateValue(nil, forKey: number)
        }
        try context.save()
        ledger.acknowledge(changes)
        if Int.random(in: 0..<5, using: &random) == 0 { context.reset() }
    }

    /// Adds one to a number that all processes add to, and repeats that after each conflict.
    private func increment() throws {
        let number = Int.random(in: 0..<SoakModels.accounts, using: &random)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        request.predicate = NSPredicate(format: "name == %@", "account \(number)")
        while true {
            guard let account = try context.fetch(request).first else { return complain("account \(number) is gone") }
            account.setValue((account.value(forKey: "balance") as? Int64 ?? 0) + 1, forKey: "balance")
            do {
                try context.save()
                return tally.count("increments")
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                tally.count("conflict")
                context.reset()
            }
        }
    }

    private func insertBatch() throws {
        var changes: [Int64: Ledger.Entry?] = [:]
        let objects: [[String: Any]] = (0..<20).map { _ in
            let number = ledger.newNumber()
            let entry = Ledger.Entry(text: text(), bytes: 0)
            changes[number] = entry
            return [names.text: entry.text, "number": number, "owner": ledger.name]
        }
        _ = try context.execute(NSBatchInsertRequest(entityName: "Entry", objects: objects))
        ledger.acknowledge(changes)
    }

    private func updateBatch() throws {
        let new = text()
        let border = ledger.numbers.randomElement(using: &random) ?? 0
        let request = NSBatchUpdateRequest(entityName: "Entry")
        request.predicate = NSPredicate(format: "owner == %@ AND number >= %lld", ledger.name, border)
        request.propertiesToUpdate = [names.text: new]
        _ = try context.execute(request)
        context.reset()
        for (number, entry) in ledger.entries where number >= border {
            ledger.acknowledge([number: Ledger.Entry(text: new, bytes: entry.bytes)])
        }
    }

    private func deleteBatch() throws {
        let gone = Array(ledger.numbers.prefix(Int.random(in: 5...30, using: &random)))
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Entry")
        fetch.predicate = NSPredicate(format: "owner == %@ AND number IN %@", ledger.name, gone)
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        context.reset()
        for number in gone { ledger.acknowledge([number: nil]) }
    }

    private func count() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        request.predicate = NSPredicate(format: "owner == %@", ledger.name)
        let found = try context.count(for: request)
        if found != ledger.entries.count { complain("\(found) entries of \(ledger.name), not \(ledger.entries.count)") }
    }

    /// Allocates memory and frees it, and turns all objects into faults, which releases their rows.
    private func pressMemory() {
        let size = 48 << 20
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
        for offset in stride(from: 0, to: size, by: 4096) {
            memory.storeBytes(of: UInt8(truncatingIfNeeded: offset), toByteOffset: offset, as: UInt8.self)
        }
        memory.deallocate()
        context.refreshAllObjects()
        tally.count("pressure")
    }
}
