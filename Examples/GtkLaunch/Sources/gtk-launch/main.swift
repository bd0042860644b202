// A notebook whose new version migrates its store behind a window.
//
//   gtk-launch                    waits for the button
//   gtk-launch --pictures FOLDER  draws its three screens into a folder, presses the button itself, and ends
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

Task { @MainActor in
    do {
        let during = Task { @MainActor in
            for await state in manager.states {
                if case .migrating(let status) = state, status.fractionCompleted > 0.4 {
                    try await picture("migrating")
                    return
                }
            }
        }
        try await manager.launch(display: window)
        try await during.value
        try await picture("done")
        async let pressed: Void = window.waitForButton()
        if pictures != nil {
            await Task.yield()
            window.press()
        }
        await pressed
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
