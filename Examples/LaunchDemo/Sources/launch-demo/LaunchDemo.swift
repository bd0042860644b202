import CMailSQLite
import CoreDataManager
import Foundation

/// The demonstration's command line, and that of the child processes it starts.
@main
enum LaunchDemo {
    static func main() async {
        mail_print_by_line()
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            let text = (error as? DemoFailure)?.description ?? error.localizedDescription
            FileHandle.standardError.write(Data("launch-demo: \(text)\n".utf8))
            exit(1)
        }
    }

    private static let usage =
        "usage: launch-demo [--quick | contexts [--quick] | postgresql [--quick] | PATH.sqlite]"

    private static func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case "child":
            try await runChild(Array(arguments.dropFirst()))
        case nil:
            try await FiveArticles(messages: 200_000, imports: 5_000, watchdog: 2).run()
        case "--quick":
            try await FiveArticles(messages: 40_000, imports: 1_000, watchdog: 1).run()
        case "contexts":
            let isQuick = arguments.contains("--quick")
            try await ContextsBenchmark.run(messages: isQuick ? 1_000 : 10_000, rounds: isQuick ? 1 : 3)
        case "postgresql":
            #if PostgreSQL
            let isQuick = arguments.contains("--quick")
            try await PostgreSQLDemo(messages: isQuick ? 5_000 : 50_000, times: isQuick ? 50 : 250).run()
            #else
            throw DemoFailure("this was built without libpq: bin/setup --postgresql, then bin/demo postgresql")
            #endif
        case "-h", "--help":
            print(usage)
        case let path?:
            guard !path.hasPrefix("-"), arguments.count == 1 else {
                throw DemoFailure(usage)
            }
            try StoreReader(url: URL(fileURLWithPath: path)).printReport()
        }
    }

    /// `child ROLE STORE VERSION|COUNT`
    private static func runChild(_ arguments: [String]) async throws {
        guard arguments.count == 3 else { throw DemoFailure("child ROLE STORE VERSION|COUNT") }
        let url = URL(ofStore: arguments[1])
        switch arguments[0] {
        case "make-counter":
            try Counter(store: url).make()
            return
        case "count":
            try Counter(store: url).count(times: Int(arguments[2]) ?? 0)
            return
        #if PostgreSQL
        case "fill-tickets":
            try TwoVersions.fill(url, tickets: Int(arguments[2]) ?? 0)
            return
        case "migrate-tickets":
            try TwoVersions.migrate(url)
            return
        case "older", "newer":
            try TwoVersions(rawValue: arguments[0])?.work(url, until: arguments[2])
            return
        #endif
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
        case "pattern":
            try await WrongAndRight.pattern(store: url, version: version)
        case "import-main", "import-background":
            let count = fields.last.flatMap { Int($0) } ?? 0
            if arguments[0] == "import-main" {
                try await WrongAndRight.importOnMain(store: url, version: version, count: count)
            } else {
                try await WrongAndRight.importInBackground(store: url, version: version, count: count)
            }
        case "crossing":
            try await WrongAndRight.crossing(store: url, version: version)
        case "reference":
            try await WrongAndRight.reference(store: url, version: version)
        default:
            throw DemoFailure("unknown role \(arguments[0])")
        }
    }
}
