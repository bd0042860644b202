/// The relation between the contexts of a manager.
public enum ContextLayout: Sendable {
    /// A private root writes to the store, the main context is its child, and background contexts are children of the
    /// main context.
    ///
    /// Use it for programs that edit:
    ///
    /// - A save of the main context does not wait for the disk. It waits only for an earlier save that the root is just
    ///   writing.
    /// - The main context has at once the changes that a background context saves.
    /// - All imported objects pass through the main context, on the main thread. The root writes them together with the
    ///   user's edits. So an edit that is not valid yet holds the import up (``CoreDataManagerError/notWritten(_:)``).
    ///   Make edits that stay unfinished for long in a child of the main context.
    /// - If two contexts change one attribute, the later save wins without a conflict. Use one context for a counter,
    ///   for example with ``CoreDataManager/CoreDataManager/performMain(_:)``.
    case chain

    /// The main context and the background contexts belong to the coordinator. The main context merges the changes that
    /// background contexts save.
    ///
    /// Use it for programs that mostly read:
    ///
    /// - An import costs the main thread only the merge of the objects that it holds.
    /// - A save of the main context waits for the disk, whatever the value of `wait`. It also waits for an import that
    ///   is just writing.
    /// - The contexts merge conflicts by property, and the later save wins. You can give a background context another
    ///   merge policy.
    ///
    /// `bin/demo contexts` measures both layouts.
    case siblings
}
