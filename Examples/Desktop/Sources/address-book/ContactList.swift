import CGtk
import CoreData

/// The list on the left: the results of a fetch, kept up to date by a fetched-results controller.
///
/// GTK makes widgets only for the rows on the screen. Its model has as many rows as the controller has objects, and
/// nothing else: the widgets are filled from the objects.
@MainActor
final class ContactList: NSObject {
    let widget: Widget = gtk_scrolled_window_new()
    /// Called when the user, or `select(_:)`, has chosen another contact or none.
    var whenSelected: @MainActor () -> Void = {}
    /// The chosen contact. It stays chosen when a search leaves it out.
    private(set) var selected: Contact?
    /// The contact of the last insertion, move or update.
    private(set) var lastChanged: Contact?
    private let controller: NSFetchedResultsController<Contact>
    private let rows: OpaquePointer = gtk_string_list_new(nil)
    private let selection: OpaquePointer
    private let list: Widget
    /// The items of the rows that have widgets.
    private var shown: Set<OpaquePointer> = []
    private var changes: (removed: IndexSet, inserted: IndexSet) = ([], [])
    /// Whether rows come and go, which moves GTK's selection.
    private var isUpdating = false

    init(context: NSManagedObjectContext) throws {
        controller = NSFetchedResultsController(
            fetchRequest: Contact.matching(), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        selection = gtk_single_selection_new(rows)
        gtk_single_selection_set_autoselect(selection, 0)
        gtk_single_selection_set_can_unselect(selection, 1)
        let factory: OpaquePointer = gtk_signal_list_item_factory_new()
        list = gtk_list_view_new(selection, factory)
        super.init()
        gtk_widget_add_css_class(list, "navigation-sidebar")
        gtk_scrolled_window_set_child(widget.hidden, list)
        when(factory, "setup") { item in
            gtk_list_item_set_child(item, Self.makeRow())
            return false
        }
        when(factory, "bind") { [unowned self] item in
            if let item {
                shown.insert(item)
                fill(item)
            }
            return false
        }
        when(factory, "unbind") { [unowned self] item in
            if let item { shown.remove(item) }
            return false
        }
        when(selection, "notify::selected") { [unowned self] in
            guard !isUpdating, let contact = contact(at: gtk_single_selection_get_selected(selection)) else { return }
            selected = contact
            whenSelected()
        }
        controller.delegate = self
        try search("")
    }

    var count: Int { controller.fetchedObjects?.count ?? 0 }

    /// Shows the contacts in which each word of a text occurs.
    func search(_ text: String) throws {
        controller.fetchRequest.predicate = Contact.predicate(for: text)
        try controller.performFetch()
        // From a place far below, GTK finds no row of a short list.
        gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(widget.hidden), 0)
        update { shim_splice(rows, 0, g_list_model_get_n_items(rows), guint(count)) }
    }

    /// Selects a contact, and shows its row if it is in the list.
    func select(_ contact: Contact?) {
        selected = contact
        update {}
        whenSelected()
    }

    func selectFirst() { select(contact(at: 0)) }

    private func contact(at row: guint) -> Contact? {
        row < guint(count) ? controller.object(at: IndexPath(item: Int(row), section: 0)) : nil
    }

    /// Changes GTK's rows, and selects the row where the selected contact is now.
    private func update(_ change: () -> Void) {
        isUpdating = true
        change()
        let row = selected.flatMap { controller.indexPath(forObject: $0)?.item }
        gtk_single_selection_set_selected(selection, row.map { guint($0) } ?? GTK_INVALID_LIST_POSITION)
        if let row { shim_scroll_to(list, guint(row)) }
        isUpdating = false
        shown.forEach(fill)
    }

    // MARK: - Rows

    /// A letter, and two lines behind it.
    private static func makeRow() -> Widget {
        let row: Widget = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10)
        let lines: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2)
        let labels = (0..<3).map { _ in gtk_label_new("") as Widget }
        for label in labels.dropFirst() {
            gtk_label_set_xalign(label.hidden, 0)
            gtk_label_set_ellipsize(label.hidden, PANGO_ELLIPSIZE_END)
        }
        gtk_label_set_width_chars(labels[0].hidden, 2)
        for label in [labels[0], labels[2]] { gtk_widget_add_css_class(label, "dim-label") }
        gtk_widget_add_css_class(labels[2], "caption")
        lines.append(labels[1], labels[2])
        row.append(labels[0], lines)
        return row
    }

    private func fill(_ item: OpaquePointer) {
        let row = gtk_list_item_get_position(item)
        guard let contact = contact(at: row), let letter = gtk_widget_get_first_child(gtk_list_item_get_child(item)),
            let name = gtk_widget_get_first_child(gtk_widget_get_next_sibling(letter))
        else { return }
        // A letter stands where it begins.
        let isFirst = row == 0 || self.contact(at: row - 1)?.letter != contact.letter
        gtk_label_set_text(letter.hidden, isFirst ? contact.letter : "")
        gtk_label_set_text(name.hidden, contact.fullName.isEmpty ? "New contact" : contact.fullName)
        let more = [contact.city, contact.phone].compactMap(\.self).joined(separator: ", ")
        gtk_label_set_text(gtk_widget_get_next_sibling(name).hidden, more)
    }
}

extension ContactList: @MainActor NSFetchedResultsControllerDelegate {
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        changes = ([], [])
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        if type != .delete { lastChanged = anObject as? Contact }
        if type == .update { return }
        if let indexPath { changes.removed.insert(indexPath.item) }
        if let newIndexPath { changes.inserted.insert(newIndexPath.item) }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        update {
            for row in changes.removed.reversed() { shim_splice(rows, guint(row), 1, 0) }
            for row in changes.inserted { shim_splice(rows, guint(row), 0, 1) }
        }
    }
}
