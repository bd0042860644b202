import Foundation

/// A class whose properties have names that a key path leads to.
protocol KeyPathNaming: AnyObject {
    /// The keys that a key path from this class reads, joined by dots; nil when it reads anything else.
    static func keys(readBy keyPath: AnyKeyPath) -> String?
}

extension AnyKeyPath {
    /// The key path in the form of key-value coding, predicates and sort descriptors: `\Book.author?.name` is
    /// `author.name`.
    ///
    /// OpenCoreData only, in place of `_kvcKeyPathString`, which is always nil on Linux. Nil if the path reads more
    /// than modelled properties, as `\Book.title.count` does. For other types than managed objects it is nil if the
    /// path reads computed properties.
    ///
    /// The path is evaluated once, on an object of its class that belongs to no context and notes which properties are
    /// read. So a computed property that reads exactly one modelled property counts as that property. The result is
    /// kept. Any thread may read this property.
    public var managedKeyPath: String? { KeyPathNames.name(of: self) }
}

/// The names of key paths, found once each.
enum KeyPathNames {
    private static let lock = NSRecursiveLock()
    // nonisolated(unsafe): read and written under `lock` only, which is recursive.
    nonisolated(unsafe) private static var names: [AnyKeyPath: String?] = [:]

    /// The name, or nil when the path has none. Recursive: an accessor that is being evaluated may need a name itself.
    static func name(of keyPath: AnyKeyPath) -> String? {
        lock.withLock {
            if let known = names[keyPath] { return known }
            let managed = type(of: keyPath).rootType as? any KeyPathNaming.Type
            let found =
                managed.map { $0.keys(readBy: keyPath) } ?? PredicateExtension.current?.keys(of: keyPath)
                ?? storedName(of: keyPath)
            names[keyPath] = .some(found)
            return found
        }
    }

    /// Runs a body that reads from objects without values. Only one thread does so at a time.
    static func recording<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    /// The name of a path through stored properties of other types, by which predicates find these properties, too. The
    /// compiler's text for the path contains the name. It contains no names of computed properties.
    static func storedName(of keyPath: AnyKeyPath) -> String? {
        let text = "\(keyPath)"
        let root = "\\\(type(of: keyPath).rootType)."
        guard text.hasPrefix(root) else { return nil }
        let keys = text.dropFirst(root.count).split(separator: ".", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != "?" && $0 != "!" } }
        let isPlain = keys.allSatisfy { key in
            !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        return isPlain ? keys.joined(separator: ".") : nil
    }

    /// The name. If there is none, stops the process with a message that names the path and its purpose.
    static func requiredName(of keyPath: AnyKeyPath, for purpose: String) -> String {
        if let name = name(of: keyPath) { return name }
        fatalError(
            """
            \(purpose): the key path \(keyPath) of type \(type(of: keyPath)) does not lead to modelled properties alone; \
            give the key as a string
            """)
    }
}

extension NSExpression {
    /// Creates an expression for a key path such as `\Book.title` or `\Book.author?.name`.
    ///
    /// Stops the process if the key path leads to anything else than modelled properties.
    ///
    /// - Parameter keyPath: The key path.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forkeypath:))
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(forKeyPath: KeyPathNames.requiredName(of: keyPath, for: "NSExpression(forKeyPath:)"))
    }
}
