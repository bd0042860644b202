import Foundation

/// A line on the standard error with the progress of work, drawn anew some times a second. If the standard error is no
/// terminal, no line is drawn.
final class WorkLine {
    private let console: Console
    private let verb: String
    private let total: Int
    private var done = 0
    private var last: ContinuousClock.Instant?
    private var isDrawn = false
    private static let pause = Duration.milliseconds(100)
    /// The number of objects between two checks of ^C and of the clock.
    private static let step = 100

    init(_ verb: String, of total: Int, on console: Console) {
        self.console = console
        self.verb = verb
        self.total = total
        Interruption.watch()
    }

    /// Counts an object.
    func advance(_ entity: String) throws {
        done += 1
        guard done % Self.step == 0 else { return }
        try Interruption.check()
        guard let columns = console.errorColumns, last.map({ $0.duration(to: .now) > Self.pause }) ?? true else {
            return
        }
        last = .now
        let share = total > 0 ? " (\(min(100, done * 100 / total)) %)" : ""
        draw("\(verb) \(Table.onOneLine(entity)): \(done)\(total > 0 ? " of \(total)" : "") objects\(share)", columns)
    }

    private func draw(_ text: String, _ columns: Int) {
        isDrawn = true
        console.draw("\r\u{1B}[K" + TextWidth.cut(text, to: columns - 1))
    }

    /// Removes the line.
    func end() {
        if isDrawn { console.draw("\r\u{1B}[K") }
        isDrawn = false
    }

    /// Draws the progress of work of the library.
    static func following<Result>(
        _ verb: String, on console: Console, _ body: (Progress) throws -> Result
    ) throws -> Result {
        let progress = Progress(totalUnitCount: -1)
        Interruption.watch { progress.cancel() }
        guard let columns = console.errorColumns else { return try body(progress) }
        // nonisolated(unsafe): only the thread uses it.
        nonisolated(unsafe) let line = WorkLine(verb, of: 0, on: console)
        let ticks = Ticks()
        let thread = Thread {
            while !ticks.isOver(within: 0.1) {
                line.draw("\(verb): \(Int(progress.fractionCompleted * 100)) %", columns)
            }
            line.end()
            ticks.leave()
        }
        thread.start()
        defer { ticks.end() }
        return try body(progress)
    }
}

/// Wakes a thread at intervals until work is over, and then waits for the thread.
private final class Ticks: @unchecked Sendable {  // all under `condition`
    private let condition = NSCondition()
    private var isOver = false
    private var hasLeft = false

    func isOver(within seconds: TimeInterval) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if !isOver { _ = condition.wait(until: Date(timeIntervalSinceNow: seconds)) }
        return isOver
    }

    func leave() {
        condition.lock()
        defer { condition.unlock() }
        hasLeft = true
        condition.broadcast()
    }

    func end() {
        condition.lock()
        defer { condition.unlock() }
        isOver = true
        condition.broadcast()
        while !hasLeft { condition.wait() }
    }
}
