import Foundation

/// The command line of `bin/bench --swiftdata`: the report, and the child processes that it starts.
@main
enum SwiftDataBench {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "child" { return print(try child(Array(arguments.dropFirst())).line) }
            let (report, isCheck) = try options(arguments)
            if try !report.run(), isCheck { exit(1) }
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func options(_ arguments: [String]) throws -> (ComparisonReport, isCheck: Bool) {
        var report = try ComparisonReport()
        var isCheck = false
        var rest = arguments[...]
        func words(_ option: String) throws -> [String] {
            guard let value = rest.popFirst() else { throw BenchmarkFailure(description: "\(option) wants a value") }
            return value.split(separator: ",").map(String.init)
        }
        func numbers(_ option: String) throws -> [Int] {
            try words(option).map { word in
                guard let number = Int(word), number > 0 else {
                    throw BenchmarkFailure(description: "\(option) wants a positive number, not \(word)")
                }
                return number
            }
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--check": isCheck = true
            case "--quick": (report.books, report.rounds, report.enumerated) = (10_000, 3, 100_000)
            case "--rounds": report.rounds = try numbers(argument).first ?? report.rounds
            case "--sizes": report.sizes = try numbers(argument)
            case "--works":
                let names = try words(argument)
                if let name = names.first(where: { !ComparisonReport.barNames.contains($0) }) {
                    let known = ComparisonReport.barNames.joined(separator: ", ")
                    throw BenchmarkFailure(description: "no work \(name); there are \(known)")
                }
                report.names = Set(names)
            default: throw BenchmarkFailure(description: "unknown argument \(argument); bin/bench --help")
            }
        }
        return (report, isCheck)
    }

    private static func child(_ arguments: [String]) throws -> Measurement {
        guard arguments.count == 4, let side = Side(rawValue: arguments[0]),
            let work = ComparedWork(rawValue: arguments[1]), let books = Int(arguments[3])
        else { throw BenchmarkFailure(description: "child SIDE WORK STORE BOOKS") }
        let store = URL(fileURLWithPath: arguments[2])
        if work == .stall { StallWorks.runChild(side, store: store) }
        let data = SourceData(authors: max(books / 100, 1), books: books)
        Memory.forgetHighest()
        var measurement =
            switch side {
            case .models: try ModelWorks.run(work, store: store, data: data)
            case .objects: try ObjectWorks.run(work, store: store, data: data)
            }
        measurement.peakBytes = Double(Memory.highestResidentBytes)
        return measurement
    }
}
