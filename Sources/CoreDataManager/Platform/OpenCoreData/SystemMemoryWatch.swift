import Foundation

/// Reads the machine's memory every two seconds. Memory is short if less than a twentieth is left to programs, of the
/// machine or of the process's control group with a limit of its own (a container).
// Sendable: the timer is made and cancelled by one owner; mutable state is touched on the timer's queue.
final class SystemMemoryWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(report: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "CoreDataManager.memory", qos: .utility)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 2, repeating: 2, leeway: .milliseconds(500))
        // While memory stays short, values that were loaded since are dropped only from time to time.
        let patience = Patience()
        timer.setEventHandler {
            if patience.shouldReport(isShort: Self.isShort()) {
                report()
            }
        }
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Reports short memory once, and again after a number of readings with short memory.
    // @unchecked Sendable: touched on the timer's queue only.
    final class Patience: @unchecked Sendable {
        private static let looks = 10
        private var looksLeft = 0

        func shouldReport(isShort: Bool) -> Bool {
            guard isShort else {
                looksLeft = 0
                return false
            }
            defer { looksLeft = looksLeft == 0 ? Self.looks - 1 : looksLeft - 1 }
            return looksLeft == 0
        }
    }

    private static func isShort() -> Bool {
        func text(_ path: String) -> String? {
            (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
        }
        if let meminfo = text("/proc/meminfo"), isShort(meminfo: meminfo) {
            return true
        }
        guard let group = text("/proc/self/cgroup").flatMap(group), let limit = text("\(group)/memory.max"),
            let used = text("\(group)/memory.current"), let statistics = text("\(group)/memory.stat")
        else { return false }
        return isShort(limit: limit, used: used, statistics: statistics)
    }

    /// The folder of the process's control group, of version 2 of control groups.
    static func group(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { "/sys/fs/cgroup" + $0.dropFirst(3) }
    }

    /// Whether memory is short by the text of `/proc/meminfo`, in kilobytes.
    static func isShort(meminfo: String) -> Bool {
        guard let total = number("MemTotal:", in: meminfo), let available = number("MemAvailable:", in: meminfo) else {
            return false
        }
        return available < total / 20
    }

    /// Whether memory is short by the files of a control group; `max` is no limit. Pages of files that can be read
    /// again count as free.
    static func isShort(limit: String, used: String, statistics: String) -> Bool {
        func trimmed(_ text: String) -> Int? { Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) }
        guard let limit = trimmed(limit), let used = trimmed(used) else { return false }
        return limit - used + (number("inactive_file", in: statistics) ?? 0) < limit / 20
    }

    private static func number(_ name: String, in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { $0.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first }.flatMap { Int($0) }
    }
}
