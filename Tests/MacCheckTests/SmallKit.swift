import Foundation
import MacCheckKit
import TestSupport

@testable import MacJudge

/// A kit of a few stores and the report of a run of it, made once.
struct SmallKit: Sendable {
    /// The folder of the report, with the stores that the run has changed.
    let answer: URL
    /// The folder of the kit.
    let folder: URL
    let kit: Kit
    let report: Report
    private let place: TemporaryFolder

    static let shared = Result { try SmallKit() }

    private static let stores: Set<String> = ["history", "pairs", "diary", "places", "shelves"]
    private static let questions = [
        "members-are-nil", "message-missing-value", "message-predicate", "nested-parentheses",
    ]
    private static let searches: Set<String> = ["19-places"]

    static let models = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("MacCheck/Models")

    init() throws {
        place = try TemporaryFolder()
        folder = place.url.appendingPathComponent("Kit")
        answer = place.url.appendingPathComponent("Answer")
        let program = try ChildProgram.url("mac-check")
        var maker = KitMaker(folder: folder, program: program, show: { _ in })
        maker.parts = { part in
            switch part.kind {
            case .read, .write: Self.stores.contains(part.name)
            case .search: Self.searches.contains(part.name)
            case .migrate: part.name == "inferred"
            case .question: Self.questions.contains(part.name)
            case .model, .source: true
            }
        }
        kit = try maker.makeKit(models: Self.models)
        var run = Run(folder: try KitFolder(folder), answer: answer, program: program)
        run.show = { _ in }
        report = try run.run()
    }
}
