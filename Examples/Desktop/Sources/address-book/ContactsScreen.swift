import CGtk
import CoreData
import CoreDataManager
import Observation

/// The ordinary screen: the list, the contact that is selected in it, and buttons in the title bar.
@MainActor
final class ContactsScreen {
    let widget: Widget = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL)
    private let manager: CoreDataManager
    private let window: Widget
    private let bar: Widget
    private let list: ContactList
    private let detail = ContactDetail()
    private let editor: Editor
    private let search: Widget = gtk_search_entry_new()
    private let problem: Widget = gtk_label_new("")
    private var buttons: [String: Widget] = [:]
    /// Shows the selected contact whenever one of its values changes.
    private var following: Task<Void, Never>?

    init(manager: CoreDataManager, window: Widget, bar: Widget) throws {
        self.manager = manager
        self.window = window
        self.bar = bar
        list = try ContactList(context: manager.mainContext)
        editor = Editor(context: manager.mainContext)
        manager.mainContext.observesProperties = true
        layOut()
        addButtons()
        list.whenSelected = { [unowned self] in
            editor.endTyping()
            followSelection()
            refresh()
        }
        detail.whenTyped = { [unowned self] property, text in
            guard let contact = list.selected else { return }
            attempt { editor.type(text, into: property, of: contact) }
        }
        when(search, "changed") { [unowned self] in attempt { try list.search(searched) } }
        when(search, "activate") { [unowned self] in list.selectFirst() }
        refresh()
    }

    private func followSelection() {
        following?.cancel()
        let (contact, detail) = (list.selected, detail)
        detail.show(detail.values(of: contact))
        following = Task {
            for await values in Observations({ detail.values(of: contact) }) where !Task.isCancelled {
                detail.show(values)
            }
        }
    }

    // MARK: - Actions

    private func add() {
        let contact = editor.makeContact()
        // A search would hide a contact without a name.
        gtk_editable_set_text(search.hidden, "")
        list.select(contact)
        detail.enter()
    }

    private func delete() {
        guard let contact = list.selected else { return }
        list.select(nil)
        attempt { editor.delete(contact) }
    }

    private func undo(_ action: () -> Void) {
        attempt(action)
        // The user sees what has come back, or has gone.
        let contact = list.lastChanged ?? list.selected
        list.select(contact?.managedObjectContext == nil || contact?.isDeleted == true ? nil : contact)
    }

    /// Saves through both contexts into the store. Returns whether that worked.
    @discardableResult func save() -> Bool {
        editor.endTyping()
        return attempt { try manager.save(wait: true) }
    }

    @discardableResult private func attempt(_ action: () throws -> Void) -> Bool {
        var text = ""
        do { try action() } catch { text = error.localizedDescription }
        gtk_label_set_text(problem.hidden, text)
        gtk_widget_set_visible(problem, text.isEmpty ? 0 : 1)
        refresh()
        return text.isEmpty
    }

    // MARK: - Widgets

    private var searched: String { String(cString: gtk_editable_get_text(search.hidden)) }

    private func layOut() {
        let left: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        search.setMargins(8)
        gtk_widget_set_vexpand(list.widget, 1)
        left.append(search, list.widget)
        gtk_widget_set_size_request(left, 280, -1)
        gtk_widget_set_visible(problem, 0)
        gtk_label_set_wrap(problem.hidden, 1)
        gtk_label_set_xalign(problem.hidden, 0)
        gtk_widget_add_css_class(problem, "error")
        detail.widget.append(problem)
        gtk_paned_set_start_child(widget.hidden, left)
        gtk_paned_set_end_child(widget.hidden, detail.widget)
        gtk_paned_set_resize_start_child(widget.hidden, 0)
        gtk_paned_set_shrink_start_child(widget.hidden, 0)
    }

    private func addButtons() {
        let start = gtk_header_bar_pack_start
        let end = gtk_header_bar_pack_end
        addButton("New", "<Control>n", start) { [unowned self] in add() }
        addButton("Delete", "<Control>d", start) { [unowned self] in delete() }
        addButton("Save", "<Control>s", end) { [unowned self] in save() }
        addButton("Redo", "<Control><Shift>z", end) { [unowned self] in undo(editor.redo) }
        addButton("Undo", "<Control>z", end) { [unowned self] in undo(editor.undo) }
        // These have keys alone.
        addButton("Find", "<Control>f", nil) { [unowned self] in _ = gtk_widget_grab_focus(search) }
        addButton("Edit", "<Control>e", nil) { [unowned self] in detail.enter() }
        addButton("Quit", "<Control>q", nil) { [unowned self] in gtk_window_close(window.cast()) }
    }

    private func addButton(
        _ label: String, _ keys: String, _ pack: ((OpaquePointer?, Widget?) -> Void)?,
        action: @escaping @MainActor () -> Void
    ) {
        let button: Widget = gtk_button_new_with_label(label)
        // A key clicks a button that cannot be used, too.
        when(button, "clicked") { if gtk_widget_get_sensitive(button) != 0 { action() } }
        shim_add_shortcut(window, keys, button)
        pack?(bar.hidden, button)
        buttons[label] = button
    }

    /// Shows what can be done now.
    private func refresh() {
        let context = manager.mainContext
        let states = [
            "Delete": list.selected != nil, "Save": context.hasChanges, "Undo": editor.undoManager.canUndo,
            "Redo": editor.undoManager.canRedo,
        ]
        for (label, isPossible) in states { gtk_widget_set_sensitive(buttons[label], isPossible ? 1 : 0) }
        gtk_widget_set_tooltip_text(buttons["Undo"], editor.undoManager.undoMenuItemTitle)
        gtk_widget_set_tooltip_text(buttons["Redo"], editor.undoManager.redoMenuItemTitle)
        let found = "\(list.count) \(list.count == 1 ? "contact" : "contacts")\(searched.isEmpty ? "" : " found")"
        let state = gtk_widget_get_visible(problem) != 0 ? ", not saved" : ", edited"
        gtk_window_set_title(window.cast(), context.hasChanges ? found + state : found)
    }
}
