import Foundation

/// A position in the history of one or more stores: behind a certain transaction of each store.
///
/// Tokens compare by value. A program can keep a token between runs: the class archives itself with `NSKeyedArchiver`,
/// and it is `Codable`. `Codable` is an OpenCoreData addition. A token is immutable, and may be used on any thread.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytoken)
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Codable, @unchecked Sendable {
    /// The number of the last transaction, by the identifier of the store. Immutable.
    let numbers: [String: Int64]

    init(numbers: [String: Int64]) {
        self.numbers = numbers
    }

    /// The token itself, as it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another token is the same position in the same stores.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    /// A hash of the position.
    open override var hash: Int { numbers.hashValue }

    /// The number of the last transaction of each store.
    open override var description: String {
        let list = numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \($0.value);" }
        return "<NSPersistentHistoryToken: {\(list.joined(separator: " "))}>"
    }

    // MARK: Archiving

    /// True: a token can be decoded where `requiresSecureCoding` is set.
    public static var supportsSecureCoding: Bool { true }

    private static let identifiersKey = "storeIdentifiers"
    private static let numbersKey = "transactionNumbers"

    /// Writes the token to an archive.
    public func encode(with coder: NSCoder) {
        let sorted = numbers.sorted { $0.key < $1.key }
        coder.encode(sorted.map(\.key) as NSArray, forKey: Self.identifiersKey)
        coder.encode(sorted.map { NSNumber(value: $0.value) } as NSArray, forKey: Self.numbersKey)
    }

    /// Reads a token from an archive; nil if the archive holds none.
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
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: The error of the decoder, if it holds no such dictionary.
    public required init(from decoder: any Decoder) throws {
        numbers = try decoder.singleValueContainer().decode([String: Int64].self)
    }

    /// Writes the token as a dictionary from store identifier to transaction number.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The error of the encoder.
    open func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(numbers)
    }
}
