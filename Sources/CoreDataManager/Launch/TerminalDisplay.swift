import Foundation

/// A display that draws a migration on one line of a terminal: a bar, the percentage, the rows, and the time left.
///
/// ```
/// Your data is being brought up to date. This happens once after an update.
/// [████████████████········································]  28 %  280000 of 1000000 entries, about 5 s left
/// ```
///
/// The display writes nothing if the output is not a terminal but a file or a pipe.
@MainActor
public final class TerminalDisplay: LaunchDisplay {
    private let write: (String) -> Void
    private let isTerminal: Bool
    private let columns: () -> Int
    private var isLineOpen = false

    /// Makes a display on a terminal.
    ///
    /// - Parameter output: The terminal. The default is standard error, so that the program's output stays clean.
    public init(_ output: FileHandle = .standardError) {
        let descriptor = output.fileDescriptor
        isTerminal = isatty(descriptor) == 1
        columns = {
            var size = winsize()
            let answered = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
            return answered && size.ws_col > 0 ? Int(size.ws_col) : 80
        }
        write = { output.write(Data($0.utf8)) }
    }

    /// Makes a display that writes by a function of yours.
    ///
    /// - Parameters:
    ///   - columns: The width of the screen in characters.
    ///   - write: Writes a text to the screen.
    public init(columns: Int, write: @escaping @MainActor (String) -> Void) {
        isTerminal = true
        self.columns = { columns }
        self.write = write
    }

    /// Writes the message on a line of its own, and the bar below it.
    public func begin(_ migration: any MigrationProgressReporting, message: String) {
        guard isTerminal else { return }
        write("\(message)\n")
        update(migration.migrationStatus, text: "")
    }

    /// Draws the bar again in the same line.
    public func update(_ status: MigrationStatus, text: String) {
        guard isTerminal else { return }
        isLineOpen = true
        // Carriage return, then clear to the end of the line.
        write("\r\(Self.line(status, text: text, columns: columns()))\u{1B}[K")
    }

    /// Ends the line of the bar and writes the message below it, with the message of a failure.
    public func end(message: String, failure: LaunchFailure?) {
        guard isTerminal else { return }
        let detail = failure.map { "\($0.message)\n" } ?? ""
        write("\(isLineOpen ? "\n" : "")\(message)\n\(detail)")
        isLineOpen = false
    }

    /// The line of a progress, never longer than the screen is wide. A narrow screen shortens first the text, then the
    /// bar.
    nonisolated static func line(_ status: MigrationStatus, text: String, columns: Int) -> String {
        let percent = Int(status.fractionCompleted * 100)
        let share = String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0) + "\(percent) %"
        // Two brackets and two spaces are part of the line. The last column stays free, because some terminals wrap
        // there.
        let room = columns - 1 - share.count - 4
        guard room >= 4 else { return String(share.prefix(max(0, columns - 1))) }
        let textRoom = room - 10 - 2
        let shown = text.isEmpty || width(text) > textRoom ? "" : "  \(text)"
        let bar = min(56, room - width(shown))
        let filled = Int(status.fractionCompleted * Double(bar))
        return
            "[\(String(repeating: "█", count: filled))\(String(repeating: "·", count: bar - filled))]  \(share)\(shown)"
    }

    /// The number of columns of a text. East Asian characters take two.
    private nonisolated static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) {
            $0 + ($1.value >= 0x1100 && $1.value != 0x2019 && !(0x2000...0x2DFF ~= $1.value) ? 2 : 1)
        }
    }
}
