import CGtk
import CoreDataManager

/// The articles' screen: a message, an activity indicator with the progress, an OK button when it is over, and then the
/// ordinary screen in the same window.
@MainActor
final class MigrationWindow: LaunchDisplay {
    private let window: UnsafeMutablePointer<GtkWidget>
    private let message = shim_label("")
    private let detail = shim_label("")
    private let spinner = shim_spinner()
    private let bar = gtk_progress_bar_new()
    private let button = gtk_button_new()
    /// The screen of the migration. Held, for a retry shows it again after the ordinary screen or none was there.
    private let column = shim_held(shim_column())
    private let texts: LaunchTexts
    /// What the button does.
    private var whenClicked: @MainActor () -> Void = {}
    /// Whether the user closed the window.
    private(set) var isClosed = false

    init(title: String, texts: LaunchTexts) {
        self.texts = texts
        window = shim_window(title)
        let this = Unmanaged.passUnretained(self).toOpaque()
        shim_when_closed(
            window,
            { _, data in
                guard let data else { return 0 }
                let window = Unmanaged<MigrationWindow>.fromOpaque(data).takeUnretainedValue()
                MainActor.assumeIsolated { window.isClosed = true }
                return 0
            }, this)
        shim_when_clicked(
            button,
            { _, data in
                guard let data else { return }
                let window = Unmanaged<MigrationWindow>.fromOpaque(data).takeUnretainedValue()
                MainActor.assumeIsolated { window.whenClicked() }
            }, this)
        for widget in [message, spinner, bar, detail, button] {
            shim_append(column, widget)
        }
    }

    // MARK: - LaunchDisplay

    func begin(_ migration: any MigrationProgressReporting, message text: String) {
        shim_set_text(message, text)
        shim_set_text(detail, "")
        shim_set_fraction(bar, migration.migrationStatus.fractionCompleted)
        gtk_widget_set_visible(spinner, 1)
        gtk_widget_set_visible(bar, 1)
        shim_set_label(button, texts[.cancel])
        whenClicked = { migration.cancelMigration() }
        shim_set_child(window, column)
        shim_present(window)
    }

    func update(_ status: MigrationStatus, text: String) {
        shim_set_fraction(bar, status.fractionCompleted)
        shim_set_text(detail, text)
    }

    func end(message text: String, failure: LaunchFailure?) {
        shim_set_text(message, text)
        shim_set_text(detail, failure?.message ?? "")
        gtk_widget_set_visible(spinner, 0)
        gtk_widget_set_visible(bar, 0)
        shim_set_label(button, failure?.retryLabel ?? texts[.ok])
        whenClicked = {}
    }

    // MARK: - After the launch

    /// Waits for the button, if the screen was shown.
    func waitForButton() async {
        guard gtk_widget_get_visible(window) != 0 else { return }
        await withCheckedContinuation { continuation in
            whenClicked = { [weak self] in
                self?.whenClicked = {}
                continuation.resume()
            }
        }
    }

    /// Presses the button, as a user would.
    func press() { shim_click(button) }

    /// The ordinary screen: a list.
    func showList(_ lines: [String]) {
        let column = shim_column()
        for line in lines {
            shim_append(column, shim_label(line))
        }
        shim_set_child(window, column)
        shim_present(window)
    }

    /// Draws what is shown into a file; false when nothing is there yet.
    func save(to path: String) -> Bool { shim_save_png(window, path) != 0 }
}
