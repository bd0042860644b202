import CGtk
import CoreData

/// The pane on the right: the values of one contact, in fields that change it while the user types.
@MainActor
final class ContactDetail {
    let widget: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18)
    /// Called with a property and the text that the user has typed.
    var whenTyped: @MainActor (_ property: String, _ text: String) -> Void = { _, _ in }
    private let title: Widget = gtk_label_new("")
    private let grid: Widget = gtk_grid_new()
    private let fields: [(property: String, entry: Widget)]
    /// Whether the texts come from the contact, not from the user.
    private var isShowing = false

    init() {
        fields = ["givenName", "familyName", "phone", "email", "city"].map { ($0, gtk_entry_new()) }
        widget.setMargins(24)
        gtk_widget_add_css_class(title, "title-1")
        gtk_label_set_xalign(title.hidden, 0)
        gtk_label_set_ellipsize(title.hidden, PANGO_ELLIPSIZE_END)
        gtk_grid_set_row_spacing(grid.cast(), 10)
        gtk_grid_set_column_spacing(grid.cast(), 12)
        let labels = ["Given name", "Family name", "Phone", "Email", "City"]
        for (row, field) in fields.enumerated() {
            let label: Widget = gtk_label_new(labels[row])
            gtk_label_set_xalign(label.hidden, 1)
            gtk_widget_add_css_class(label, "dim-label")
            gtk_widget_set_hexpand(field.entry, 1)
            // The contact's own undo manager takes typing back.
            gtk_editable_set_enable_undo(field.entry.hidden, 0)
            gtk_grid_attach(grid.cast(), label, 0, Int32(row), 1, 1)
            gtk_grid_attach(grid.cast(), field.entry, 1, Int32(row), 1, 1)
            when(field.entry, "changed") { [unowned self] in
                if !isShowing { whenTyped(field.property, String(cString: gtk_editable_get_text(field.entry.hidden))) }
            }
        }
        widget.append(title, grid)
        show(nil)
    }

    /// What the pane shows of a contact.
    struct Values: Equatable {
        let title: String
        let texts: [String]
    }

    /// Reads what the pane shows. Within a tracking the read values are tracked.
    func values(of contact: Contact?) -> Values? {
        guard let contact, contact.managedObjectContext != nil else { return nil }
        return Values(
            title: contact.fullName.isEmpty ? "New contact" : contact.fullName,
            texts: fields.map { contact.value(forKey: $0.property) as? String ?? "" })
    }

    func show(_ values: Values?) {
        isShowing = true
        gtk_widget_set_visible(grid, values == nil ? 0 : 1)
        gtk_label_set_text(title.hidden, values?.title ?? "")
        for (number, field) in fields.enumerated() {
            let text = values?.texts[number] ?? ""
            // The caret of the field in which the user types stays where it is.
            if text != String(cString: gtk_editable_get_text(field.entry.hidden)) {
                gtk_editable_set_text(field.entry.hidden, text)
            }
        }
        isShowing = false
    }

    /// Lets the user type into the first field.
    func enter() { gtk_widget_grab_focus(fields[0].entry) }
}
