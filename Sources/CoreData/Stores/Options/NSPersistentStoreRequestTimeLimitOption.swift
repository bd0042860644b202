/// The option for the seconds of processor time that one request to a store may take. Without a limit if it is absent.
///
/// OpenCoreData only. It is for programs whose users write predicates, and for stores from other sources. An expression
/// of MATCHES, a pattern of LIKE or a view can take time that is exponential in the length of a text. A fetch, a count,
/// a batch or a save that takes longer throws `NSPersistentStoreTimeoutError` (134090), and changes nothing. Migrations
/// have no limit: they can be cancelled. For a store in PostgreSQL the time of the program counts; the server has
/// `statement_timeout` of its own.
public let NSPersistentStoreRequestTimeLimitOption = "OpenCoreDataRequestTimeLimitOption"
