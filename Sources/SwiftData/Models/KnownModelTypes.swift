import CoreData
import Synchronization

/// The types of models by the numbers of their layouts, without a lock. A type belongs to a schema, and stays for ever.
enum KnownModelTypes {
    /// A type with the number of its layout.
    private final class Entry: Sendable {
        let layout: UInt32
        let type: ModelType

        init(_ layout: UInt32, _ type: ModelType) {
            self.layout = layout
            self.type = type
        }
    }

    /// All entries. None is freed, because another thread may be reading it.
    private static let entries = Locked<[UInt32: Entry]>([:])

    /// A place for each value of a hash, with the address of an entry.
    private struct Places: @unchecked Sendable {  // the pointer is a constant, and leads to atomic values
        static let count = 256
        let first: UnsafeMutablePointer<Atomic<UInt>>

        init() {
            first = .allocate(capacity: Self.count)
            for index in 0..<Self.count { (first + index).initialize(to: Atomic(0)) }
        }
    }

    private static let places = Places()

    private static func place(_ layout: UInt32) -> UnsafeMutablePointer<Atomic<UInt>> {
        places.first + Int(layout) % Places.count
    }

    /// The type of a layout, if it is known.
    static func type(of layout: UInt32) -> ModelType? {
        guard let address = UnsafeRawPointer(bitPattern: place(layout).pointee.load(ordering: .acquiring)) else {
            return nil
        }
        return Unmanaged<Entry>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.layout == layout ? $0.type : nil }
    }

    static func note(_ type: ModelType, of layout: UInt32) {
        let entry = entries.withLock { entries in
            if let known = entries[layout] { return known }
            let new = Entry(layout, type)
            entries[layout] = new
            return new
        }
        let address = Unmanaged.passUnretained(entry).toOpaque()
        place(layout).pointee.store(UInt(bitPattern: address), ordering: .releasing)
    }
}
