import Foundation

/// What the initialiser of an object that stands for an existing row is to take over instead of making a new one.
///
/// Subclasses' stored properties need a real initialiser call, and the only one every subclass is to have is
/// `init(entity:insertInto:)`; so the context leaves here what that call is for, on the calling thread. A batch of
/// objects uses one birth, on one thread.
final class Birth {
    /// What the initialiser reads; unretained, because whoever delivers holds it.
    struct Record {
        let home: Unmanaged<ObjectHome>
        let layoutIdentifier: UInt32
        var key: Int64 = 0
        var row: Unmanaged<Snapshot>?
        var flags: NSManagedObject.Flags = []
        /// Whether the next initialiser call on this thread is the one meant.
        var isDue = false
    }

    let home: ObjectHome
    let layoutIndex: Int
    private let entity: NSEntityDescription
    private let managedClass: NSManagedObject.Type
    private let record: UnsafeMutablePointer<Record>

    init(home: ObjectHome) {
        self.home = home
        home.findMissingClass()
        layoutIndex = home.layout.index
        entity = home.layout.entity
        managedClass = home.managedClass
        record = .allocate(capacity: 1)
        record.initialize(
            to: Record(home: Unmanaged.passUnretained(home), layoutIdentifier: home.layout.identifier))
    }

    deinit {
        if pthread_getspecific(Self.threadKey) == UnsafeMutableRawPointer(record) {
            pthread_setspecific(Self.threadKey, nil)
        }
        record.deinitialize(count: 1)
        record.deallocate()
    }

    // Statically initialised, so that reading them costs no once-check. Written by `prepare` alone, before the first
    // context is made; no birth takes place before that.
    @exclusivity(unchecked) nonisolated(unsafe) private static var threadKey: pthread_key_t = 0
    // Written by `prepare` alone, like the key.
    @exclusivity(unchecked) nonisolated(unsafe) private static var isPrepared = false

    private static let preparation: Void = {
        pthread_key_create(&threadKey, nil)
        isPrepared = true
    }()

    /// Called by every context that is made.
    static func prepare() { preparation }

    /// What the running initialiser is to take over; nil when somebody just makes a new object.
    @inline(__always)
    static var due: UnsafeMutablePointer<Record>? {
        guard isPrepared, let pointer = pthread_getspecific(threadKey) else { return nil }
        let record = pointer.assumingMemoryBound(to: Record.self)
        return record.pointee.isDue ? record : nil
    }

    /// Makes one object of the home's class.
    @inline(__always)
    func deliver(key: Int64, row: Snapshot?, flags: NSManagedObject.Flags) -> NSManagedObject {
        record.pointee.key = key
        record.pointee.row = row.map { Unmanaged.passUnretained($0) }
        record.pointee.flags = flags
        record.pointee.isDue = true
        if pthread_getspecific(Self.threadKey) != UnsafeMutableRawPointer(record) {
            pthread_setspecific(Self.threadKey, record)
        }
        return withExtendedLifetime(row) { managedClass.makeObject(entity, nil) }
    }
}
