import Foundation

/// A place in the history of one or several stores: after a certain transaction of each.
///
/// Compares by value, and can be kept between runs of a program: it archives itself (`NSKeyedArchiver`) and is
/// `Codable`.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Codable, @unchecked Sendable {
    // Immutable.
    /// The number of the last transaction, by the identifier of the store.
    let numbers: [String: Int64]

    init(numbers: [String: Int64]) {
        self.numbers = numbers
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    open override var hash: Int { numbers.hashValue }

    open override var description: String {
        let list = numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \($0.value);" }
        return "<NSPersistentHistoryToken: {\(list.joined(separator: " "))}>"
    }

    // MARK: Archiving

    /// An archive with tokens can be read with `requiresSecureCoding`.
    public static var supportsSecureCoding: Bool { true }

    private static let identifiersKey = "storeIdentifiers"
    private static let numbersKey = "transactionNumbers"

    /// Writes the token to an archive.
    public func encode(with coder: NSCoder) {
        let sorted = numbers.sorted { $0.key < $1.key }
        coder.encode(sorted.map(\.key) as NSArray, forKey: Self.identifiersKey)
        coder.encode(sorted.map { NSNumber(value: $0.value) } as NSArray, forKey: Self.numbersKey)
    }

    /// Reads a token from an archive; nil when it holds none.
    public required init?(coder: NSCoder) {
        let identifiers = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: Self.identifiersKey)
        let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: Self.numbersKey)
        guard let identifiers = identifiers as? [String], let numbers = numbers as? [NSNumber],
            identifiers.count == numbers.count
        else { return nil }
        self.numbers = Dictionary(
            zip(identifiers, numbers.map(\.int64Value)), uniquingKeysWith: { first, _ in first })
    }

    /// Reads a token as a dictionary from store identifier to transaction number.
    public required init(from decoder: any Decoder) throws {
        numbers = try decoder.singleValueContainer().decode([String: Int64].self)
    }

    /// Writes the token as a dictionary from store identifier to transaction number.
    open func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(numbers)
    }
}
