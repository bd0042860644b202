import CoreData
import CoreDataManager

/// Measures both layouts of the manager's contexts with the same work: what an import and an edit cost the main thread.
@MainActor
enum ContextsBenchmark {
    static func run(messages: Int, rounds: Int) async throws {
        print(
            "\(messages) messages imported by 50 in the background while the main thread fetches a list of 50 over and")
        print(
            "over; then 200 edits on the main thread, each saved, during the same import again. Medians of \(rounds).\n"
        )
        var rows = [
            ["layout", "import, s", "longest stall, ms", "lists", "edit and save, ms", "longest edit, ms"]
        ]
        for layout in [ContextLayout.chain, .siblings] {
            var results: [[Double]] = []
            for _ in 0..<rounds {
                results.append(try await measure(layout, messages: messages))
            }
            let medians = (0..<5).map { column in results.map { $0[column] }.sorted()[rounds / 2] }
            rows.append([
                "\(layout)", medians[0].seconds, medians[1].milliseconds, String(Int(medians[2])),
                String(format: "%.2f", medians[3] * 1_000), medians[4].milliseconds,
            ])
        }
        printTable(rows)
    }

    private static func measure(_ layout: ContextLayout, messages: Int) async throws -> [Double] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("contexts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("mail.sqlite")
        try MailStore(url: url).build(messages: 5_000)

        var configuration = CoreDataManager.Configuration()
        configuration.layout = layout
        let manager = CoreDataManager(model: MailModel.first.make(), storeURL: url, configuration: configuration)
        try await manager.launch()
        let probe = LaunchProbe()
        probe.start()

        let list = Task { try await DailyWork.keepShowingList(in: manager.mainContext) }
        let start = DispatchTime.now()
        try await DailyWork.importAll(0..<messages, manager)
        let importSeconds = ChildLaunches.seconds(since: start)
        list.cancel()
        let lists = try await list.value
        let stall = probe.stop().longestStall

        let importing = Task { try await DailyWork.importAll(messages..<2 * messages, manager) }
        var edits: [Double] = []
        for number in 0..<200 {
            let request = DailyWork.newestMessages(1)
            request.fetchOffset = number
            guard let message = try manager.mainContext.fetch(request).first else { break }
            let start = DispatchTime.now()
            message.setValue(number.isMultiple(of: 2), forKey: "isRead")
            try manager.save(wait: false)
            edits.append(ChildLaunches.seconds(since: start))
            await Task.yield()
        }
        try await importing.value
        try await manager.saveMain()
        edits.sort()
        return [importSeconds, stall, Double(lists), edits[edits.count / 2], edits[edits.count - 1]]
    }
}
