/// Option: how many seconds of processor time one request to a store may take (number; without limit when absent).
///
/// For programs whose users write predicates, and for stores that others have made: an expression of MATCHES, a pattern
/// of LIKE and a view can take time that is exponential in the length of a text. A fetch, a count, a batch or a save
/// that takes longer ends with `NSPersistentStoreTimeoutError`, and changes nothing. Migrations have no limit: they can
/// be cancelled. On PostgreSQL it is the time of the program that counts; the server has `statement_timeout` for its
/// own.
public let NSPersistentStoreRequestTimeLimitOption = "OpenCoreDataRequestTimeLimitOption"
