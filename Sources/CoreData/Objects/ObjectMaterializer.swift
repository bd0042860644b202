import Foundation

/// The values that the initialiser takes over when an object is materialized from an existing row, in place of those of
/// a new object.
///
/// Subclasses' stored properties need a real initialiser call, and the only one that every subclass should have is
/// `init(entity:insertInto:)`. So the context notes the purpose of that call in a record of the calling thread. A batch
/// of objects uses one value of this type, on one thread.
struct ObjectMaterializer {
    /// The values that the initialiser reads; unretained, because the caller of `materialize` holds them.
    struct Record {
        var binding: Unmanaged<EntityBinding>
        var layoutIdentifier: UInt32
        var key: Int64 = 0
        var row: Unmanaged<Snapshot>?
        var flags: NSManagedObject.Flags = []
        /// Whether the next initialiser call on this thread materializes this object.
        var isPending = false
    }

    let binding: EntityBinding
    let layoutIndex: Int
    private let entity: NSEntityDescription
    private let managedClass: NSManagedObject.Type
    private let layoutIdentifier: UInt32
    private let flags: NSManagedObject.Flags
    private let record: UnsafeMutablePointer<Record>

    init(binding: EntityBinding) {
        self.binding = binding
        binding.findMissingClass()
        layoutIndex = binding.layout.index
        entity = binding.layout.entity
        managedClass = binding.managedClass
        layoutIdentifier = binding.layout.identifier
        flags = binding.flagsOfObjects
        record = Self.recordOfThread(binding)
    }

    /// The record of the calling thread. It is made once and ends with the thread.
    private static func recordOfThread(_ binding: EntityBinding) -> UnsafeMutablePointer<Record> {
        if let known = pthread_getspecific(threadKey) { return known.assumingMemoryBound(to: Record.self) }
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        record.initialize(to: Record(binding: Unmanaged.passUnretained(binding), layoutIdentifier: 0))
        pthread_setspecific(threadKey, record)
        return record
    }

    // Statically initialised, so that reading it costs no once-check. Written by `prepare` alone, before the first
    // context is made; no object is materialized before that.
    @exclusivity(unchecked) nonisolated(unsafe) private static var threadKey: pthread_key_t = 0
    // Written by `prepare` alone, like the key.
    @exclusivity(unchecked) nonisolated(unsafe) private static var isPrepared = false

    private static let preparation: Void = {
        // A record retains nothing, so freeing its memory is enough.
        pthread_key_create(&threadKey) { $0?.deallocate() }
        isPrepared = true
    }()

    /// Called by every context that is made.
    static func prepare() { preparation }

    /// The pending materialization for the running initialiser; nil if a program makes a new object.
    @inline(__always)
    static var pending: UnsafeMutablePointer<Record>? {
        guard isPrepared, let pointer = pthread_getspecific(threadKey) else { return nil }
        let record = pointer.assumingMemoryBound(to: Record.self)
        return record.pointee.isPending ? record : nil
    }

    /// Materializes one object of the entity binding's class.
    @inline(__always)
    func materialize(key: Int64, row: Snapshot?, flags: NSManagedObject.Flags) -> NSManagedObject {
        record.pointee.binding = Unmanaged.passUnretained(binding)
        record.pointee.layoutIdentifier = layoutIdentifier
        record.pointee.key = key
        record.pointee.row = row.map { Unmanaged.passUnretained($0) }
        record.pointee.flags = flags.union(self.flags)
        record.pointee.isPending = true
        return withExtendedLifetime(row) { managedClass.makeObject(entity, nil) }
    }
}
