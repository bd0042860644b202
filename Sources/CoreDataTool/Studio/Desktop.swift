import Foundation

/// The desktop session of the user.
enum Desktop {
    /// Opens an address in the browser if there is a desktop. Otherwise the user has the printed address.
    static func open(_ address: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"] != nil,
            let program = ProgramPath.find("xdg-open")
        else { return }
        let process = Process()
        process.executableURL = program
        process.arguments = [address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }
}
