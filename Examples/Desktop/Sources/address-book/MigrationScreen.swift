import CGtk
import CoreDataManager

/// The screen before the contacts: a message, the progress of a migration, and a button that cancels or tries again.
@MainActor
final class MigrationScreen: LaunchDisplay {
    /// Held here, because the window releases it when the contacts are shown.
    let widget = shim_held(gtk_box_new(GTK_ORIENTATION_VERTICAL, 18))
    /// Called when the user presses the button that repeats a failed launch.
    var whenRetried: @MainActor () -> Void = {}
    private let message: Widget = gtk_label_new("")
    private let detail: Widget = gtk_label_new("")
    private let bar: Widget = gtk_progress_bar_new()
    private let button: Widget = gtk_button_new()
    private let texts: LaunchTexts
    private let window: Widget
    private var whenClicked: @MainActor () -> Void = {}

    init(texts: LaunchTexts, window: Widget) {
        self.texts = texts
        self.window = window
        gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_size_request(widget, 420, -1)
        gtk_widget_add_css_class(message, "title-2")
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        for label in [message, detail] {
            gtk_label_set_wrap(label.hidden, 1)
            gtk_label_set_max_width_chars(label.hidden, 36)
            gtk_label_set_justify(label.hidden, GTK_JUSTIFY_CENTER)
        }
        widget.append(message, bar, detail, button)
        when(button, "clicked") { [unowned self] in whenClicked() }
        shim_add_shortcut(window, "Escape", button)
        for part in [bar, button] { gtk_widget_set_visible(part, 0) }
    }

    func begin(_ migration: any MigrationProgressReporting, message text: String) {
        show("Address book: updating", text, "", button: texts[.cancel]) { migration.cancelMigration() }
        gtk_widget_set_visible(bar, 1)
    }

    func update(_ status: MigrationStatus, text: String) {
        gtk_progress_bar_set_fraction(bar.hidden, status.fractionCompleted)
        gtk_label_set_text(detail.hidden, text)
    }

    /// The launch's completion decides what comes next: `show(_:)` or the contacts.
    func end(message: String, failure: LaunchFailure?) { whenClicked = {} }

    /// Shows the reason for which the contacts cannot be shown.
    func show(_ failure: LaunchFailure) {
        show("Address book: stopped", failure.title, failure.message, button: failure.retryLabel) { [unowned self] in
            whenRetried()
        }
        gtk_widget_set_visible(bar, 0)
    }

    private func show(
        _ title: String, _ text: String, _ more: String, button label: String?,
        whenClicked action: @escaping @MainActor () -> Void
    ) {
        gtk_window_set_title(window.cast(), title)
        gtk_label_set_text(message.hidden, text)
        gtk_label_set_text(detail.hidden, more)
        gtk_button_set_label(button.cast(), label ?? "")
        gtk_widget_set_visible(button, label == nil ? 0 : 1)
        gtk_widget_grab_focus(button)
        whenClicked = action
    }
}
