// Implementation notes: SoakTests.
//
// - Processes (`Tests/SoakChild`) work on one store while it is migrated to and fro, the disk runs full and the clock
//   jumps. Each process keeps a `Ledger` of the acknowledged state of its own entries, and compares it with the store.
// - The last process uses SwiftData: two actors save, one follows the history, and two follow results by observers. At
//   the end, when no process saves any more, the followers must have what a fetch finds.

import CoreData
import Foundation
import TestSupport
import Testing

#if PostgreSQL
import CoreDataPostgreSQL
#endif

/// Processes at work on one store, and what disturbs them.
///
/// Migrations take turns, a disk runs full, and a clock jumps.
final class SoakRun {
    private let folder: TemporaryFolder
    private let disk: SmallDisk?
    private let store: URL
    private var children: [ChildProgram] = []
    private var readers: [Thread] = []
    private let outputs = Outputs()
    private var phase = 0
    private let library: String?
    private let minutes: Double?
    private static let fewTurns = 3

    /// The last lines of the processes, and what they complained about.
    private final class Outputs: @unchecked Sendable {  // under the lock
        private let condition = NSCondition()
        private var ended = 0
        private(set) var complaints: [String] = []
        private(set) var last: [Int: [String: Int]] = [:]

        func take(_ line: Substring, of child: Int) {
            condition.lock()
            defer { condition.unlock() }
            if line.hasPrefix("wrong") { return complaints.append("\(child) \(line)") }
            let words = line.split(separator: " ")
            guard ["status", "done"].contains(words.first ?? "") else { return }
            var values: [String: Int] = [:]
            for place in stride(from: 1, to: words.count - 1, by: 2) {
                values[String(words[place])] = Int(words[place + 1])
            }
            if words[0] == "done" { values["is-done"] = 1 }
            last[child] = values
            condition.broadcast()
        }

        func end() {
            condition.lock()
            ended += 1
            condition.broadcast()
            condition.unlock()
        }

        func waitForEnds(_ count: Int) {
            condition.lock()
            while ended < count { condition.wait() }
            condition.unlock()
        }

        /// Waits until what processes have counted has grown: each of them, or all together. A process that has ended
        /// ends the waiting.
        func wait(for name: String, toGrowBy growth: Int, inEachOf children: Int? = nil) {
            condition.lock()
            defer { condition.unlock() }
            func counts() -> [Int] {
                let each = (0..<(children ?? 0)).map { last[$0]?[name] ?? 0 }
                return children == nil ? [last.values.reduce(0) { $0 + ($1[name] ?? 0) }] : each
            }
            let before = counts()
            while ended == 0, zip(counts(), before).contains(where: { $0 - $1 < growth }) { condition.wait() }
        }
    }

    /// - Parameter minutes: how long the processes work; nil for a few turns of a few processes.
    init(minutes: Double?, _ database: URL? = nil) throws {
        self.minutes = minutes
        folder = try TemporaryFolder()
        let isLong = minutes != nil
        disk = isLong && database == nil && SmallDisk.obstacle == nil ? try SmallDisk(kilobytes: 384 << 10) : nil
        if isLong, let obstacle = SmallDisk.obstacle { print("no disk runs full: \(obstacle)") }
        store = database ?? (disk?.url ?? folder.url).appendingPathComponent("Soak.sqlite")
        library = isLong ? Self.clockLibrary : nil
        try prepare()
        var environment: [String: String] = [:]
        if let library {
            try setClock("+0")
            environment = [
                "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": clock.path, "FAKETIME_CACHE_DURATION": "1",
                "DONT_FAKE_MONOTONIC": "1",
            ]
        }
        try tell(phase)
        let count = isLong ? 8 : 3
        for number in 0..<count {
            let child = try ChildProgram(
                "soak-child",
                [store.isFileURL ? store.path : store.absoluteString, folder.url.path, "p\(number)", "\(number + 1)"]
                    + (number == 0 ? ["purges"] : number == count - 1 ? ["models"] : []), environment: environment)
            children.append(child)
            let outputs = outputs
            let reader = Thread {
                while let line = child.line() { outputs.take(line, of: number) }
                outputs.end()
            }
            reader.start()
            readers.append(reader)
        }
    }

    private var clock: URL { folder.url.appendingPathComponent("clock") }

    /// The library that has a process see another time; nil where there is none, and under the thread sanitizer, which
    /// has to be the first library of a process.
    private static var clockLibrary: String? {
        let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
        let found = folders.map { $0 + "/faketime/libfaketimeMT.so.1" }.first { access($0, R_OK) == 0 }
        if found == nil { print("the clock does not jump: libfaketime is not installed (bin/setup --soak)") }
        return ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? found : nil
    }

    private func setClock(_ offset: String) throws { try Data((offset + "\n").utf8).write(to: clock, options: .atomic) }

    private func tell(_ phase: Int) throws {
        try Data("\(phase)".utf8).write(to: folder.url.appendingPathComponent("phase"), options: .atomic)
    }

    private var options: [AnyHashable: Any] {
        let models = SoakModels.versions.map { ModelText.model($0) }
        return [
            NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true, NSMigrationKnownVersionsOption: models,
        ]
    }

    private var type: String {
        #if PostgreSQL
        if !store.isFileURL { return NSPostgreSQLStoreType }
        #endif
        return NSSQLiteStoreType
    }

    private func prepare() throws {
        try withStore(store, ModelText.model(SoakModels.versions[0]), type: type, options: options) { context in
            for number in 0..<SoakModels.accounts {
                context.make("Account", ["name": "account \(number)", "balance": 0])
            }
            try context.save()
        }
    }

    /// Lets the processes work, and disturbs them turn by turn. The clock decides only how long that lasts.
    func work() throws {
        let end = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
        var turn = 0
        repeat {
            outputs.wait(for: "works", toGrowBy: 40, inEachOf: children.count)
            try disturb(turn)
            turn += 1
        } while end.map { ContinuousClock.now < $0 } ?? (turn < Self.fewTurns)
        outputs.wait(for: "works", toGrowBy: 40, inEachOf: children.count)
    }

    private func disturb(_ turn: Int) throws {
        switch turn % 3 {
        case 0:
            phase += 1
            try tell(phase)
            outputs.wait(for: "openings", toGrowBy: 1, inEachOf: children.count)
        case 1:
            guard let disk else { return }
            try disk.fill(leaving: 0)
            outputs.wait(for: "full", toGrowBy: 8)
            try disk.empty()
        default:
            if library != nil { try setClock(["+3d", "-2h", "+0", "-400d", "+90s"][turn / 3 % 5]) }
        }
    }

    /// Ends the processes, and compares what they report with what the store has.
    func end() throws {
        try Data().write(to: folder.url.appendingPathComponent("stop"))
        outputs.waitForEnds(children.count)
        for child in children { #expect(child.wait().status == 0) }
        #expect(outputs.complaints.isEmpty, "\(outputs.complaints.prefix(20).joined(separator: "\n"))")
        var sums: [String: Int] = [:]
        for number in children.indices {
            let values = try #require(outputs.last[number], "process \(number) has said nothing")
            #expect(values["is-done"] == 1)
            for (name, value) in values {
                sums[name] = name.hasPrefix("longest") ? max(sums[name] ?? 0, value) : (sums[name] ?? 0) + value
            }
            // A process at its end has no more than when its caches are full.
            let (before, after) = (values["memory-before"] ?? 0, values["memory"] ?? 0)
            #expect(after <= before + before / 2 + 64, "process \(number) grew from \(before) to \(after) MB")
            let (openBefore, openAfter) = (values["files-before"] ?? 0, values["files"] ?? 0)
            #expect(openAfter <= openBefore + 8, "process \(number) has \(openAfter) open files after \(openBefore)")
        }
        print("soak: " + sums.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        #expect((sums["save"] ?? 0) > 0 && (sums["reads"] ?? 0) > 0)
        // The followers of SwiftData have what the store has.
        #expect(sums["compared"] == 1 && (sums["signals"] ?? 0) > 0 && (sums["history-reads"] ?? 0) > 0)
        let model = ModelText.model(SoakModels.versions[phase & 1])
        let balances = try withStore(store, model, type: type, options: options) { context in
            try context.all("Account").reduce(0) { $0 + ($1.value(forKey: "balance") as? Int ?? 0) }
        }
        #expect(balances == sums["increments"] ?? 0)
    }

    /// The file is whole, and nothing lies beside it that is not the store's.
    func checkFiles() throws {
        let file = try RawDatabase(store)
        #expect(try file.column("PRAGMA integrity_check") == [.text("ok")])
        let values = store.deletingLastPathComponent().appendingPathComponent(".Soak_SUPPORT/_EXTERNAL_DATA")
        let files = Set((try? FileManager.default.contentsOfDirectory(atPath: values.path)) ?? [])
        let named = try file.column(
            "SELECT CAST(substr(ZVALUE, 2, 36) AS TEXT) FROM ZENTRY WHERE substr(hex(ZVALUE), 1, 2) = '02'")
        #expect(files == Set(named.compactMap { if case .text(let name) = $0 { name } else { nil } }))
        let beside = try FileManager.default.contentsOfDirectory(atPath: store.deletingLastPathComponent().path)
        let own = ["Soak.sqlite", "Soak.sqlite-wal", "Soak.sqlite-shm", ".Soak_SUPPORT", "phase", "stop", "clock"]
        #expect(Set(beside).subtracting(own).isEmpty, "\(beside)")
    }
}
