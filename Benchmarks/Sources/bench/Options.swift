import Foundation

/// The options of a report on the command line.
struct Options {
    var isQuick = false
    var isCheck = false
    var isRenewal = false
    var measuresGrowth = false
    var rounds: Int?
    var sizes: [Int]?
    var works: [Work]?
    var json: URL?
    var svg: URL?
    /// A library beside ours, by its name and version.
    var peer: String?
    /// Arguments that are no options, where the report takes such.
    var files: [URL] = []

    /// Reads the arguments after a report's name.
    /// - Throws: `BenchmarkFailure` that names the argument it does not take.
    init(_ arguments: [String], takesFiles: Bool = false) throws {
        var rest = arguments[...]
        func value(_ option: String) throws -> String {
            guard let value = rest.popFirst() else { throw BenchmarkFailure(description: "\(option) wants a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--check": isCheck = true
            case "--renew": isRenewal = true
            case "--growth": measuresGrowth = true
            case "--rounds": rounds = try Self.number(argument, value(argument))
            case "--sizes": sizes = try value(argument).split(separator: ",").map { try Self.number(argument, $0) }
            case "--works":
                works = try value(argument).split(separator: ",").map { name in
                    guard let work = Work(rawValue: String(name)) else {
                        let known = Work.allCases.map(\.rawValue).joined(separator: ", ")
                        throw BenchmarkFailure(description: "no work \(name); there are \(known)")
                    }
                    return work
                }
            case "--json": json = URL(fileURLWithPath: try value(argument))
            case "--svg": svg = URL(fileURLWithPath: try value(argument))
            case "--peer": peer = try value(argument)
            case let file where takesFiles && !file.hasPrefix("-"): files.append(URL(fileURLWithPath: file))
            case let other: throw BenchmarkFailure(description: "unknown argument \(other); \(Report.usage)")
            }
        }
    }

    private static func number(_ option: String, _ text: some StringProtocol) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw BenchmarkFailure(description: "\(option) wants a positive number, not \(text)")
        }
        return number
    }
}
