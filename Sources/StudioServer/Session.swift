import Synchronization

/// Decides which clients are admitted: one with the token of the printed address, once, and then those with the cookie
/// that it was exchanged for.
final class Session: Sendable {
    private let secret = Session.random()
    private let token: String
    private let isSpent = Mutex(false)

    init(token: String) { self.token = token }

    enum Exchange {
        case cookie(String)
        case spent
        case wrong
    }

    /// Takes a token. It is good once.
    func exchange(_ given: String) -> Exchange {
        guard Session.areEqual(given, token) else { return .wrong }
        return isSpent.withLock { isSpent in
            if isSpent { return .spent }
            isSpent = true
            return .cookie(secret)
        }
    }

    func isOpen(to secret: String?) -> Bool {
        guard let secret, isSpent.withLock({ $0 }) else { return false }
        return Session.areEqual(secret, self.secret)
    }

    /// 256 random bits, which a client cannot guess, as hexadecimal digits.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares two texts in a time that does not depend on how much of them is equal.
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
