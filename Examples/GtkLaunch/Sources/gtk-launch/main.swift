// A notebook whose new version migrates its store behind a window.
//
//   gtk-launch                    waits for the button
//   gtk-launch --pictures FOLDER  draws its screens into a folder, presses the buttons itself (cancels, retries, OK),
//                                 and ends
import CGtk
import CoreData
import CoreDataManager

let pictures = CommandLine.arguments.dropFirst().first == "--pictures" ? CommandLine.arguments.last : nil
guard gtk_init_check() != 0 else {
    FileHandle.standardError.write(Data("gtk-launch: there is no display\n".utf8))
    exit(1)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gtk-launch-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let url = folder.appendingPathComponent("notes.sqlite")
try NoteStore.make(at: url)

var configuration = CoreDataManager.Configuration()
configuration.adapter = SlowAdapter(seconds: 3)
let manager = CoreDataManager(
    model: NoteStore.model(hasColour: true), storeURL: url, configuration: configuration)
let window = MigrationWindow(title: "Notes", texts: configuration.texts)
var isOver = false
var failure: (any Error)?

/// Draws a screen as soon as it can be drawn.
@MainActor func picture(_ name: String) async throws {
    guard let pictures else { return }
    for _ in 0..<200 {
        try await Task.sleep(for: .milliseconds(25))
        if window.save(to: "\(pictures)/\(name).png") { return }
    }
    throw CocoaError(.fileWriteUnknown)
}

/// Launches until there is data to show. A launch that failed, or that the user cancelled, is tried again by the
/// button.
@MainActor func launch() async throws {
    var attempt = 0
    while true {
        attempt += 1
        let during = attempt <= 2 ? watch(attempt) : nil
        do {
            try await manager.launch(display: window)
            try await during?.value
            return
        } catch {
            try await during?.value
            guard manager.failure?.retryLabel != nil else { throw error }
            try await picture("stopped")
            await answer()
        }
    }
}

/// Where pictures are wanted: draws a migration at its half, and cancels the first one.
@MainActor func watch(_ attempt: Int) -> Task<Void, any Error>? {
    guard pictures != nil else { return nil }
    return Task { @MainActor in
        for await state in manager.states {
            guard case .migrating(let status) = state, status.fractionCompleted > 0.4 else { continue }
            try await picture(attempt == 1 ? "migrating" : "again")
            if attempt == 1 { window.press() }
            return
        }
    }
}

/// Waits for the button; where pictures are wanted, presses it.
@MainActor func answer() async {
    if pictures != nil {
        // Runs when this one waits: both are of the main actor.
        Task { @MainActor in window.press() }
    }
    await window.waitForButton()
}

Task { @MainActor in
    do {
        try await launch()
        try await picture("done")
        await answer()
        window.showList(try NoteStore.texts(in: manager.mainContext))
        try await picture("notes")
        isOver = pictures != nil
    } catch {
        failure = error
        isOver = true
    }
}

// GTK's loop and that of the main queue take turns on this thread.
while !isOver && !window.isClosed {
    while g_main_context_iteration(nil, 0) != 0 {}
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
}
try? FileManager.default.removeItem(at: folder)
if let failure {
    FileHandle.standardError.write(Data("gtk-launch: \(failure)\n".utf8))
    exit(1)
}
