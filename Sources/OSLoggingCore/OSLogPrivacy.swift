/// Whether the log has a value of a message, or a mask in its place.
///
/// A release build writes `<private>` in place of a private value. A debug build writes all values but sensitive ones.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogprivacy)
public struct OSLogPrivacy: Sendable {
    /// The text in place of a value.
    public enum Mask: Sendable {
        /// `<private>`.
        case none
        /// A hash of the value, which is equal for equal values as long as the process runs.
        case hash
    }

    private enum Kind {
        case automatic, open, secret, sensitive
    }

    private let kind: Kind
    private let mask: Mask

    private init(_ kind: Kind, _ mask: Mask = .none) {
        self.kind = kind
        self.mask = mask
    }

    /// Numbers are public; strings and objects are private.
    public static var auto: OSLogPrivacy { OSLogPrivacy(.automatic) }
    /// The value is written.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(.open) }
    /// Only a debug build writes the value.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(.secret) }
    /// The value is never written.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(.sensitive) }

    /// Numbers are public; strings and objects are masked.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(.automatic, mask) }
    /// A release build masks the value.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(.secret, mask) }
    /// The value is always masked.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(.sensitive, mask) }
}

extension OSLogPrivacy {
    /// The annotations of a C format: `public`, `private`, `sensitive`, `mask.hash`.
    init(annotations: [Substring]) {
        let mask = annotations.contains { $0.hasPrefix("mask.") } ? Mask.hash : .none
        let kinds: [(Substring, Kind)] = [("sensitive", .sensitive), ("private", .secret), ("public", .open)]
        self.init(kinds.first { annotations.contains($0.0) }?.1 ?? .automatic, mask)
    }

    /// The text to write for a value.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - isNumber: Whether the value is a number or a truth value.
    ///   - isRedacting: Whether private values are left out.
    func shown(_ text: String, isNumber: Bool, isRedacting: Bool) -> String {
        let isHidden =
            switch kind {
            case .automatic: isRedacting && !isNumber
            case .open: false
            case .secret: isRedacting
            case .sensitive: true
            }
        guard isHidden else { return text }
        // The seed of hash values differs from process to process, so that short values cannot be found by trial.
        return mask == .none
            ? "<private>" : "<mask.hash: \(String(UInt(bitPattern: text.hashValue), radix: 16))>"
    }
}
