import CProcesses
import Foundation

/// The resources that a process and all its descendants used, and how the process ended.
struct ProcessUse: Codable {
    /// The exit status; nil where a signal ended the process.
    var status: Int32?
    var signal: Int32?
    /// Seconds of processor time, of the process and all descendants.
    var processor: Double
    /// Seconds by the clock.
    var clock: Double
    /// The memory of the largest single process, in MB.
    var peak: Int
    /// The command lines of processes that were still running a minute after the process had ended.
    var leftOver: [String]
}

/// Runs one command and writes what it used: the work of `test-runner --measure REPORT COMMAND…`.
///
/// `wait4` counts only descendants whose parents waited for them. Servers that a test starts are not among these. A
/// process of its own that adopts orphans counts them all.
enum MeasuredProcess {
    /// How long descendants may run after the command has ended.
    private static let grace: UInt32 = 60

    static func run(report: String, _ command: [String]) throws {
        _ = opencoredata_end_with_parent()
        _ = opencoredata_adopt_orphans()
        let start = clock()
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        let failure = posix_spawn(&child, command[0], nil, nil, &arguments, environ)
        guard failure == 0 else {
            throw RunnerError("\(command[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
        var use = ProcessUse(processor: 0, clock: 0, peak: 0, leftOver: [])
        // An alarm interrupts the wait for descendants.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGALRM, &action, nil)
        while true {
            var status: Int32 = 0
            let ended = wait4(-1, &status, 0, nil)
            if ended == child {
                if status & 0x7f == 0 { use.status = (status >> 8) & 0xff } else { use.signal = status & 0x7f }
                use.clock = clock() - start
                alarm(grace)
            } else if ended < 0, errno == EINTR {
                for process in children() {
                    use.leftOver.append(commandLine(process))
                    kill(process, SIGKILL)
                }
                alarm(1)
            } else if ended < 0 {
                break
            }
        }
        var total = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &total)
        use.processor = seconds(total.ru_utime) + seconds(total.ru_stime)
        use.peak = total.ru_maxrss / 1024
        try JSONEncoder().encode(use).write(to: URL(fileURLWithPath: report))
    }

    private static func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static func children() -> [pid_t] {
        let list = try? String(contentsOfFile: "/proc/self/task/\(getpid())/children", encoding: .utf8)
        return (list ?? "").split(separator: " ").compactMap { pid_t($0) }
    }

    private static func commandLine(_ process: pid_t) -> String {
        let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}
