#if PostgreSQL
import Foundation
import TestSupport

/// Programs at work: how many rounds they made, the longest stall in milliseconds, and what went wrong.
struct OnlineWorkers {
    private let url: URL
    private let stop: URL
    private var children: [ChildProgram] = []

    /// - Parameter folder: the folder in which a file ends them.
    init(_ url: URL, endingIn folder: URL) {
        self.url = url
        stop = folder.appendingPathComponent("stop \(UUID().uuidString)")
    }

    mutating func start(_ model: String, _ names: String, _ name: String) throws {
        let child = try ChildProgram(
            "postgresql-child", [url.absoluteString, "work", model, names, stop.path, name])
        child.wait(for: "worked\n")
        children.append(child)
    }

    func end() throws -> (rounds: [Int], longest: Int, complaints: String) {
        try Data().write(to: stop)
        let outputs = children.map { $0.wait().output }
        var (rounds, longest): ([Int], Int) = ([], 0)
        var complaints = ""
        for line in outputs.joined().split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "rounds", words.count == 4 {
                rounds.append(Int(words[1]) ?? 0)
                longest = max(longest, Int(words[3]) ?? 0)
            } else {
                complaints += line + "\n"
            }
        }
        return (rounds, longest, complaints)
    }
}
#endif
