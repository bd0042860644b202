import Foundation

/// The command line: the reports, and the child processes that they start.
@main
enum Bench {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        if let child = Child.all.first(where: { $0.name == arguments.first }) {
            print(try child.line(Array(arguments.dropFirst())))
            return
        }
        let named = Report.all.first { $0.name == arguments.first }
        let options = try Options(
            Array(arguments.dropFirst(named == nil ? 0 : 1)), takesFiles: named?.takesFiles ?? false)
        let holds = try (named ?? Report.workloads).run(options)
        if options.isCheck && !holds {
            exit(1)
        }
    }
}
