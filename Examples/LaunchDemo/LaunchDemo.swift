import CoreDataManager
import Foundation

/// The demonstration's command line, and that of the child processes it starts.
@main
enum LaunchDemo {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            let text = (error as? DemoFailure)?.description ?? error.localizedDescription
            FileHandle.standardError.write(Data("launch-demo: \(text)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case "child":
            try await runChild(Array(arguments.dropFirst()))
        case nil:
            try ThreeLaunches(messages: 200_000, imports: 5_000, watchdog: 2).run()
        case "--quick":
            try ThreeLaunches(messages: 40_000, imports: 1_000, watchdog: 1).run()
        case "-h", "--help":
            print("usage: launch-demo [--quick | PATH.sqlite]")
        case let path?:
            guard !path.hasPrefix("-"), arguments.count == 1 else {
                throw DemoFailure("usage: launch-demo [--quick | PATH.sqlite]")
            }
            try StoreReader(url: URL(fileURLWithPath: path)).printReport()
        }
    }

    /// `child build|check|blocking|managed|work STORE …`
    private static func runChild(_ arguments: [String]) async throws {
        guard arguments.count == 3 else { throw DemoFailure("child ROLE STORE VERSION|COUNT") }
        let url = URL(fileURLWithPath: arguments[1])
        switch arguments[0] {
        case "build":
            try MailStore(url: url).build(messages: Int(arguments[2]) ?? 0)
            return
        case "check":
            let versions = arguments[2].split(separator: ",").compactMap { MailModel(rawValue: String($0)) }
            Announcement.note(try MailStore(url: url).check(versions: versions)).say()
            return
        default:
            break
        }
        let fields = arguments[2].split(separator: ":")
        guard let version = fields.first.flatMap({ MailModel(rawValue: String($0)) }) else {
            throw DemoFailure("unknown version \(arguments[2])")
        }
        switch arguments[0] {
        case "blocking":
            try await ChildLaunches.blocking(store: url, version: version)
        case "managed":
            try await ChildLaunches.managed(store: url, version: version)
        case "work":
            try await DailyWork.run(store: url, version: version, imports: fields.last.flatMap { Int($0) } ?? 0)
        default:
            throw DemoFailure("unknown role \(arguments[0])")
        }
    }
}
