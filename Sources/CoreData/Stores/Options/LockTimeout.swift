import Foundation

/// A lock that another program has held for longer than the caller waits.
package struct LockTimeout: Sendable {
    /// The store, and the programs that hold the lock, as a sentence.
    package var problem: String
    /// The action that releases the lock, as the beginning of a sentence.
    package var remedy: String

    package init(_ problem: String, remedy: String) {
        self.problem = problem
        self.remedy = remedy
    }

    /// The remedy as a whole sentence.
    ///
    /// - Parameter option: The option that makes the caller wait longer; nil if it has none.
    package func suggestion(option: String?) -> String {
        remedy + (option.map { ", or wait longer (\($0))." } ?? ".")
    }
}

extension NSError {
    private static let lockProblemKey = "lockProblem"
    private static let lockRemedyKey = "lockRemedy"

    /// Creates `NSPersistentStoreTimeoutError`. The recovery suggestion is a part of the reason as well.
    package static func timeout(
        of lock: LockTimeout, url: URL? = nil, sqliteCode: Int32? = nil, underlying: Error? = nil,
        userInfo: [String: Any] = [:]
    ) -> NSError {
        var info = userInfo
        info[lockProblemKey] = lock.problem
        info[lockRemedyKey] = lock.remedy
        return .coreData(
            NSPersistentStoreTimeoutError, reason: lock.problem,
            remedy: lock.suggestion(option: "NSPersistentStoreTimeoutOption"), url: url, sqliteCode: sqliteCode,
            underlying: underlying, userInfo: info)
    }

    /// The lock that another program has held for too long; nil for other errors.
    package var lockTimeout: LockTimeout? {
        guard let problem = userInfo[Self.lockProblemKey] as? String,
            let remedy = userInfo[Self.lockRemedyKey] as? String
        else { return nil }
        return LockTimeout(problem, remedy: remedy)
    }
}
