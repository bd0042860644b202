import Foundation

/// A state of the stores that contexts can be pinned to: they go on reading it, whatever is saved meanwhile.
///
/// A token holds its state as long as anybody holds the token, and what was written since then cannot go from the -wal
/// into the store's main file so long. May be passed between threads. It archives itself; an archive can be read where
/// the state is still held, that is in the same run of a program, or is that of `current`.
// @unchecked Sendable: every stored property is a `let`.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Nil for the token that stands for the present.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) {
        self.generation = generation
        super.init()
    }

    private static let present = NSQueryGenerationToken(nil)

    /// Stands for whatever state the stores are in when a context that is pinned to it next reads.
    open class var current: NSQueryGenerationToken { present }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
    }

    open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }

    open override var description: String {
        generation.map { "<NSQueryGenerationToken: \(UInt(bitPattern: ObjectIdentifier($0).hashValue))>" }
            ?? "<NSQueryGenerationToken: current>"
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archiving

    /// An archive with tokens can be read with `requiresSecureCoding`.
    public static var supportsSecureCoding: Bool { true }

    private static let identifierKey = "identifier"

    /// Writes the token to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode((generation?.identifier.uuidString ?? "") as NSString, forKey: Self.identifierKey)
    }

    /// Reads a token from an archive; nil when nobody holds its state any more.
    public required init?(coder: NSCoder) {
        let text = coder.decodeObject(of: NSString.self, forKey: Self.identifierKey) as String?
        generation = text.flatMap { UUID(uuidString: $0) }.flatMap { QueryGeneration.living($0) }
        if text == nil || generation == nil && text != "" { return nil }
        super.init()
    }
}
