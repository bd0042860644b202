import CGtk

// A few words over GTK's functions. In C a widget is cast by a macro, such as GTK_BOX(widget).

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWidget> {
    /// The widget as one of a class whose fields are hidden.
    var hidden: OpaquePointer { OpaquePointer(self) }

    /// The widget as one of another class.
    func cast<Class>() -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Class.self)
    }

    /// Puts widgets into a box, one behind the other.
    func append(_ children: Widget?...) {
        for child in children { gtk_box_append(cast(), child) }
    }

    func setMargins(_ width: Int32) {
        gtk_widget_set_margin_start(self, width)
        gtk_widget_set_margin_end(self, width)
        gtk_widget_set_margin_top(self, width)
        gtk_widget_set_margin_bottom(self, width)
    }
}

/// What is done when a signal comes.
@MainActor
private final class Reaction {
    let action: @MainActor (OpaquePointer?) -> Bool

    init(_ action: @escaping @MainActor (OpaquePointer?) -> Bool) { self.action = action }
}

/// Performs an action at each signal of an object, as long as the object exists. The action gets the signal's first
/// argument. Its result is used by signals that GTK stops at `true`, before their default handlers.
@MainActor
func when(
    _ object: some GtkPointer, _ signal: String, handle action: @escaping @MainActor (OpaquePointer?) -> Bool
) {
    shim_connect(
        object.raw, signal,
        { data, argument in
            guard let data else { return 0 }
            let (reaction, argument) = (Unmanaged<Reaction>.fromOpaque(data), argument.map { Int(bitPattern: $0) } ?? 0)
            // GTK calls on the thread that runs its loop, which is the main one.
            return MainActor.assumeIsolated {
                reaction.takeUnretainedValue().action(OpaquePointer(bitPattern: argument)) ? 1 : 0
            }
        }, Unmanaged.passRetained(Reaction(action)).toOpaque(),
        { data, _ in data.map { Unmanaged<Reaction>.fromOpaque($0).release() } })
}

@MainActor
func when(_ object: some GtkPointer, _ signal: String, do action: @escaping @MainActor () -> Void) {
    when(object, signal) { _ in
        action()
        return false
    }
}

/// Both kinds of pointers that objects of GTK have in Swift.
protocol GtkPointer {
    var raw: UnsafeMutableRawPointer { get }
}

extension UnsafeMutablePointer: GtkPointer {
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension OpaquePointer: GtkPointer {
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}
