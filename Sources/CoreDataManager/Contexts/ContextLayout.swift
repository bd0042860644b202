/// How a manager's contexts stand to each other.
public enum ContextLayout: Sendable {
    /// Root, main, background: a private root writes to the store, the main-queue context is its child, background
    /// contexts are children of the main one.
    ///
    /// Saving the main context does not wait for what it saves to reach the disk, only for the root to end an earlier
    /// save that it is just writing; and what a background context saves is in the main one at once. In return
    /// everything that is imported passes through the main context, on the main thread, and is written together with
    /// what is edited there: an edit that is not valid yet holds the import up (`CoreDataManagerError.notWritten`).
    /// Programs that keep unfinished edits for long make them in a child of the main context. Of two contexts that
    /// change one attribute the later save wins, without a conflict: what is counted is counted in one context, by
    /// `performMain`. For programs that edit.
    case chain

    /// The main context and the background contexts are siblings on the coordinator; the main one takes in by itself
    /// what the others save.
    ///
    /// An import costs the main thread only the merging of what it shows. In return a save of the main context waits
    /// for the disk, whatever `wait` says, and for an import that is just writing; conflicts between siblings are
    /// merged by property, the later save winning, unless a background context is given another merge policy. For
    /// programs that mostly read. `bin/demo contexts` measures both.
    case siblings
}
