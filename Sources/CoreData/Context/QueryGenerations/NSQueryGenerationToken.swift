import Foundation

/// A state of the stores to which contexts can be pinned, so that later saves do not change their reads.
///
/// The state exists as long as any copy of the token does. Until then later writes stay in the -wal of a SQLite store
/// and cannot move into its main file.
///
/// Tokens may be passed between threads. An archived token can be read only in the same run of a program, while its
/// state is still held. The token ``current`` can always be read.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsquerygenerationtoken)
// @unchecked Sendable: every stored property is a `let`.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Nil for the token that stands for the present.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) {
        self.generation = generation
        super.init()
    }

    private static let present = NSQueryGenerationToken(nil)

    /// The token for the state that a pinned context finds at its next read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsquerygenerationtoken/current)
    open class var current: NSQueryGenerationToken { present }

    /// Whether the other token is for the same state.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
    }

    /// A hash of the state.
    open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }

    /// Describes the state by a number, or as `current`.
    open override var description: String {
        generation.map { "<NSQueryGenerationToken: \(UInt(bitPattern: ObjectIdentifier($0).hashValue))>" }
            ?? "<NSQueryGenerationToken: current>"
    }

    /// Returns the token itself, which cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archiving

    /// True: an archive with tokens can be read with `requiresSecureCoding`.
    public static var supportsSecureCoding: Bool { true }

    private static let identifierKey = "identifier"

    /// Writes the token to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode((generation?.identifier.uuidString ?? "") as NSString, forKey: Self.identifierKey)
    }

    /// Reads a token from an archive; nil if its state is no longer held in this process.
    public required init?(coder: NSCoder) {
        let text = coder.decodeObject(of: NSString.self, forKey: Self.identifierKey) as String?
        generation = text.flatMap { UUID(uuidString: $0) }.flatMap { QueryGeneration.living($0) }
        if text == nil || generation == nil && text != "" { return nil }
        super.init()
    }
}
