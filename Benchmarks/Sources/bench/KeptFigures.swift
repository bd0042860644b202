import Foundation

/// Figures that stand in the tree, to be compared with what is measured: a line each, its name, its value and, where
/// it has one, how many percent it may differ by. Text after a # is a comment.
struct KeptFigures {
    struct Figure {
        var value: Double
        /// In percent; nil for the usual one.
        var tolerance: Double?
        /// What stands behind the #.
        var remark: String?
    }

    /// The bars of the workloads: how many times plain C's processor time, how many bytes.
    static let bars = file("bars.txt")
    /// The bars of models beside `@NSManaged` objects.
    static let models = file("swiftdata.txt")
    /// How many times plain C's instructions.
    static let instructions = file("instructions.txt")

    private static func file(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(name)
    }

    private(set) var figures: [String: Figure] = [:]
    /// The lines before the first figure.
    private var preface: [Substring] = []

    /// - Throws: `BenchmarkFailure` with the line that is none, or an error when the file cannot be read.
    init(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let words = parts.first?.split(separator: " ") ?? []
            if words.isEmpty {
                if figures.isEmpty && !line.isEmpty { preface.append(line) }
                continue
            }
            guard words.count == 2 || words.count == 3, let value = Double(words[1]) else {
                throw BenchmarkFailure(
                    description: "\(file.lastPathComponent):\(number + 1): no name and value: \(line)")
            }
            figures[String(words[0])] = Figure(
                value: value, tolerance: words.count == 3 ? Double(words[2]) : nil,
                remark: parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : nil)
        }
    }

    subscript(name: String) -> Figure? { figures[name] }

    /// Takes another value; tolerance and remark stay.
    mutating func renew(_ name: String, _ value: Double) {
        figures[name, default: Figure(value: value)].value = value
    }

    /// Writes the figures in the order of the names, and leaves out figures without one of these names.
    func write(to file: URL, order: [String], decimals: Int) throws {
        let width = order.map(\.count).max() ?? 0
        let lines = order.compactMap { name in
            figures[name].map { figure in
                var line = name.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
                line += figure.value.printed(decimals)
                if let tolerance = figure.tolerance { line += "  " + tolerance.printed(0) }
                if let remark = figure.remark { line += "  # " + remark }
                return line
            }
        }
        let text = (preface.map(String.init) + lines).joined(separator: "\n") + "\n"
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
