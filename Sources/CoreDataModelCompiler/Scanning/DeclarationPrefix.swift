import SwiftScanning

/// The attributes and modifiers before a declaration.
struct DeclarationPrefix {
    var attributes: [String] = []
    var words: [String] = []
    var access: Access?
    var setter: Access?
    /// The token of `@NSManaged`.
    var managed: SwiftToken?

    /// Whether no attribute restricts the use of the declaration, such as a global actor or a deprecation.
    var isPlain: Bool {
        attributes.allSatisfy { attribute in
            Self.plainAttributes.contains { attribute == $0 || attribute.hasPrefix("\($0)(") }
                && !["deprecated", "unavailable", "obsoleted", "noasync"].contains(where: attribute.contains)
        }
    }

    private static let plainAttributes = [
        "@objc", "@objcMembers", "@nonobjc", "@available", "@discardableResult", "@inlinable", "@inline",
        "@usableFromInline", "@preconcurrency",
    ]
}
