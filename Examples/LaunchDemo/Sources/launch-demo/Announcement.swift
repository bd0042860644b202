import CoreDataManager
import Foundation

/// The messages of a launched child to the demonstration, one line each on standard output.
enum Announcement {
    case firstScreen(seconds: Double)
    case progress(fraction: Double)
    case migrated(seconds: Double)
    case ready(seconds: Double)
    case stall(phase: String, seconds: Double)
    case note(String)

    var line: String {
        switch self {
        case .firstScreen(let seconds): "first-screen \(seconds)"
        case .progress(let fraction): "progress \(fraction)"
        case .migrated(let seconds): "migrated \(seconds)"
        case .ready(let seconds): "ready \(seconds)"
        case .stall(let phase, let seconds): "stall \(seconds) \(phase)"
        case .note(let text): "note \(text)"
        }
    }

    init?(line: Substring) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let rest = parts[1]
        switch parts[0] {
        case "first-screen": self = .firstScreen(seconds: Double(rest) ?? 0)
        case "progress": self = .progress(fraction: Double(rest) ?? 0)
        case "migrated": self = .migrated(seconds: Double(rest) ?? 0)
        case "ready": self = .ready(seconds: Double(rest) ?? 0)
        case "stall":
            let fields = rest.split(separator: " ", maxSplits: 1)
            self = .stall(phase: fields.count > 1 ? String(fields[1]) : "", seconds: Double(fields[0]) ?? 0)
        case "note": self = .note(String(rest))
        default: return nil
        }
    }

    /// Writes the line at once, so that it is there even if the child is killed next.
    func say() {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
