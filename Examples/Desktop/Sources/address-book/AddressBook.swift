import CGtk
import CoreData
import CoreDataManager

/// The program's window, from the launch to its end.
@MainActor
final class AddressBook {
    private let window: Widget = gtk_window_new()
    /// The title bar, which gets its buttons with the contacts.
    private let bar: Widget = gtk_header_bar_new()
    private let manager: CoreDataManager
    private let migration: MigrationScreen
    private var contacts: ContactsScreen?
    private var isClosed = false

    init(manager: CoreDataManager) {
        self.manager = manager
        migration = MigrationScreen(texts: manager.configuration.texts, window: window)
        gtk_window_set_default_size(window.cast(), 860, 520)
        gtk_window_set_titlebar(window.cast(), bar)
        gtk_window_set_child(window.cast(), migration.widget)
        gtk_window_set_title(window.cast(), "Address book")
        when(window, "close-request") { [unowned self] _ in
            // Changes that cannot be saved are not lost: the window stays open, and shows the error.
            isClosed = contacts?.save() ?? true
            return !isClosed
        }
        migration.whenRetried = { [unowned self] in launch() }
    }

    /// Shows the window, and returns when the user has closed it.
    func run() {
        gtk_window_present(window.cast())
        launch()
        // GTK's loop and that of the main queue take turns on this thread.
        while !isClosed {
            while g_main_context_iteration(nil, 0) != 0 {}
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
        }
    }

    private func launch() {
        manager.launch(display: migration) { [unowned self] outcome in
            do {
                try outcome.get()
                showContacts(try ContactsScreen(manager: manager, window: window, bar: bar))
            } catch {
                migration.show(manager.failure ?? LaunchFailure(error))
            }
        }
    }

    private func showContacts(_ screen: ContactsScreen) {
        contacts = screen
        gtk_window_set_child(window.cast(), screen.widget)
    }
}
