// What GTK declares as macros, and what takes lists of C strings, as functions that Swift can call.
#pragma once
#include <gtk/gtk.h>

// A widget that stays when it is taken out of its window.
static inline GtkWidget *_Nonnull shim_held(GtkWidget *_Nonnull widget) { return g_object_ref_sink(widget); }

// Gets the data of its connection first, and then the first argument of the signal.
typedef gboolean (*ShimHandler)(void *data, void *argument);

static inline void shim_connect(
    void *object, const char *signal, ShimHandler handler, void *data, void (*release)(void *, GClosure *)) {
    g_signal_connect_data(object, signal, G_CALLBACK(handler), data, release, G_CONNECT_SWAPPED);
}

static inline gboolean shim_run_shortcut(GtkWidget *widget, GVariant *arguments, void *data) {
    g_signal_emit_by_name(data, "clicked");
    return TRUE;
}

// Clicks a button when a key is pressed anywhere in a window. The window sees keys before its text fields do.
static inline void shim_add_shortcut(GtkWidget *window, const char *keys, GtkWidget *button) {
    GtkEventController *controller = gtk_shortcut_controller_new();
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE);
    GtkShortcutAction *action = gtk_callback_action_new(shim_run_shortcut, button, NULL);
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(controller), gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys), action));
    gtk_widget_add_controller(window, controller);
}

// Replaces rows of a list at a place by new ones. The rows have no texts; the drawing code fetches the contacts.
static inline void shim_splice(GtkStringList *rows, guint place, guint removed, guint added) {
    const char **texts = g_new0(const char *, added + 1);
    for (guint row = 0; row < added; row++) texts[row] = "";
    gtk_string_list_splice(rows, place, removed, texts);
    g_free(texts);
}

static inline void shim_scroll_to(GtkWidget *list, guint row) {
    gtk_widget_activate_action(list, "list.scroll-to-item", "u", row);
}
