import Foundation

/// A measurement that a report runs in a process of its own, with the arguments that it passes.
struct Child: Sendable {
    let name: String
    /// The names of the arguments.
    let parameters: [String]
    let run: @Sendable ([String]) throws -> Measurement

    /// A work of the workload in the process of one contender.
    static func workload(
        _ run: @escaping @Sendable (Contender, Work, _ store: String, SourceData) throws -> Measurement
    ) -> Child {
        Child(name: "child", parameters: ["CONTENDER", "WORK", "STORE", "AUTHORS", "BOOKS"]) { arguments in
            let (contender, data) = (try contender(arguments[0]), try data(arguments[3], arguments[4]))
            guard let work = Work(rawValue: arguments[1]) else {
                throw BenchmarkFailure(description: "no work \(arguments[1])")
            }
            Memory.forgetHighest()
            var measurement = try run(contender, work, arguments[2], data)
            measurement.peakBytes = Double(Memory.highestResidentBytes)
            return measurement
        }
    }

    /// What it measures with the arguments, as it is printed.
    /// - Throws: `BenchmarkFailure` when there are more or fewer arguments, or one is none of its kind.
    func line(_ arguments: [String]) throws -> String {
        guard arguments.count == parameters.count else {
            throw BenchmarkFailure(description: "\(name) \(parameters.joined(separator: " "))")
        }
        return try run(arguments).line
    }

    static func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw BenchmarkFailure(description: "\(text) is no number") }
        return number
    }

    static func contender(_ text: String) throws -> Contender {
        guard let contender = Contender(rawValue: text) else {
            throw BenchmarkFailure(description: "no contender \(text)")
        }
        return contender
    }

    static func data(_ authors: String, _ books: String) throws -> SourceData {
        SourceData(authors: try number(authors), books: try number(books))
    }
}
