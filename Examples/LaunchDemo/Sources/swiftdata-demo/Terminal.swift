import CoreDataManager
import Foundation
import SwiftData

/// Why the demonstration cannot continue.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes at once, so that lines stay in order with those of other programs.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

func title(_ text: String) { say("\n\(text)\n") }

func milliseconds(_ seconds: Double) -> String { String(format: "%.0f ms", seconds * 1_000) }

/// Runs a command of the program `coredata`, which lies beside this one, on a store.
func coredata(_ store: URL, _ arguments: String...) throws {
    let isModel = arguments.first == "model"
    var arguments = arguments
    arguments.insert(store.lastPathComponent, at: isModel ? 2 : 1)
    say("   $ coredata \(arguments.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " "))")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("coredata")
    process.currentDirectoryURL = store.deletingLastPathComponent()
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    // 1 is a remark, such as a part of a model that SwiftData lacks.
    guard process.terminationStatus < 2 else { throw DemoFailure("coredata ended with \(process.terminationStatus)") }
}

/// Draws the progress of an opening on the terminal.
@MainActor
final class ProgressScreen {
    private let display = TerminalDisplay(.standardOutput)
    private let states: AsyncStream<LaunchState>
    private var drawing: Task<Void, Never>?
    private let texts = LaunchTexts()

    init(_ opening: ContainerOpening) { states = opening.states }

    func show(_ migration: any MigrationProgressReporting) {
        display.begin(migration, message: texts[.updating])
        drawing = Task { [display, states, texts] in
            for await case .migrating(let status) in states { display.update(status, text: texts.text(for: status)) }
        }
    }

    func end() {
        drawing?.cancel()
        if drawing != nil { display.end(message: texts[.updated], failure: nil) }
    }
}
