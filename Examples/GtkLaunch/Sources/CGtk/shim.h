// What GTK declares as macros or with variable arguments, as functions that Swift can call.
#pragma once
#include <gtk/gtk.h>

static inline GtkWidget *shim_window(const char *title) {
    GtkWidget *window = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(window), title);
    gtk_window_set_default_size(GTK_WINDOW(window), 420, 240);
    return window;
}

static inline void shim_set_child(GtkWidget *window, GtkWidget *child) { gtk_window_set_child(GTK_WINDOW(window), child); }
static inline void shim_present(GtkWidget *window) { gtk_window_present(GTK_WINDOW(window)); }

static inline GtkWidget *shim_column(void) {
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 16);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_margin_start(box, 24);
    gtk_widget_set_margin_end(box, 24);
    return box;
}

// A widget that stays when it is taken out of its window.
static inline GtkWidget *shim_held(GtkWidget *widget) { return g_object_ref_sink(widget); }

static inline void shim_append(GtkWidget *box, GtkWidget *child) { gtk_box_append(GTK_BOX(box), child); }

static inline GtkWidget *shim_label(const char *text) {
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    return label;
}

static inline void shim_set_text(GtkWidget *label, const char *text) { gtk_label_set_text(GTK_LABEL(label), text); }

static inline GtkWidget *shim_spinner(void) {
    GtkWidget *spinner = gtk_spinner_new();
    gtk_spinner_start(GTK_SPINNER(spinner));
    return spinner;
}

static inline void shim_set_fraction(GtkWidget *bar, double fraction) {
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(bar), fraction);
}

static inline void shim_set_label(GtkWidget *button, const char *text) { gtk_button_set_label(GTK_BUTTON(button), text); }

static inline void shim_when_clicked(GtkWidget *button, void (*handler)(GtkWidget *, void *), void *data) {
    g_signal_connect(button, "clicked", G_CALLBACK(handler), data);
}

static inline void shim_when_closed(GtkWidget *window, gboolean (*handler)(GtkWidget *, void *), void *data) {
    g_signal_connect(window, "close-request", G_CALLBACK(handler), data);
}

static inline void shim_click(GtkWidget *button) { g_signal_emit_by_name(button, "clicked"); }

// Draws a window that is shown into a file; FALSE when there is nothing to draw yet.
static inline gboolean shim_save_png(GtkWidget *window, const char *path) {
    int width = gtk_widget_get_width(window), height = gtk_widget_get_height(window);
    GskRenderer *renderer = gtk_native_get_renderer(gtk_widget_get_native(window));
    if (width <= 0 || height <= 0 || renderer == NULL) return FALSE;
    GdkPaintable *paintable = gtk_widget_paintable_new(window);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gdk_paintable_snapshot(paintable, GDK_SNAPSHOT(snapshot), width, height);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    g_object_unref(paintable);
    if (node == NULL) return FALSE;
    GdkTexture *texture = gsk_renderer_render_texture(renderer, node, NULL);
    gboolean saved = gdk_texture_save_to_png(texture, path);
    g_object_unref(texture);
    gsk_render_node_unref(node);
    return saved;
}
