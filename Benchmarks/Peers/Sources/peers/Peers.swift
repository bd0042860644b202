import Foundation

/// The works of the benchmark by GRDB, one in each process; the benchmark starts them.
@main
enum Peers {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard arguments.first == child.name else {
                throw BenchmarkFailure(description: "bin/bench peers PATH runs this")
            }
            print(try child.line(Array(arguments.dropFirst())))
        } catch {
            FileHandle.standardError.write(Data("peers: \(error)\n".utf8))
            exit(1)
        }
    }

    private static let child = Child.workload { contender, work, store, data in
        switch contender {
        case .grdbRows: try GRDBRows(store: store).run(work, data: data)
        case .grdbRecords: try GRDBRecords(store: store).run(work, data: data)
        case .c, .coreData: throw BenchmarkFailure(description: "\(contender.rawValue) is no peer")
        }
    }
}
