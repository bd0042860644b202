extension MemoryHint {
    /// Loads an object. It takes 56 bytes, which lie on one or two lines.
    @inlinable
    package static func load(object address: UnsafeRawPointer) {
        load(address)
        load(address + 48)
    }
}

extension Array where Element: NSManagedObject {
    /// Calls a body with each object, and loads the memory of the objects that follow.
    @inlinable
    package func eachAhead(_ body: (Element) throws -> Void) rethrows {
        try eachAhead(
            loading: { addresses, place in
                let ahead = place + MemoryHint.distance
                if ahead < addresses.count { MemoryHint.load(object: addresses[ahead]) }
            }, body)
    }

    /// Calls a body with each object, and loads the memory of the objects that follow, and of their rows.
    ///
    /// - Parameter places: The places of the objects; nil for all.
    @inline(__always)
    func eachWithRowAhead(in places: Range<Int>? = nil, _ body: (Element) throws -> Void) rethrows {
        try eachAhead(
            in: places,
            loading: { addresses, place in
                let ahead = place + MemoryHint.distance
                // The object is in the cache by now, and has the address of its row.
                if ahead < addresses.count { Unmanaged<Element>.fromOpaque(addresses[ahead]).loadRow() }
                let further = ahead + MemoryHint.distance
                if further < addresses.count { MemoryHint.load(object: addresses[further]) }
            }, body)
    }
}

extension Array<NSManagedObject> {
    /// Releases all objects, and loads what each of them uses when it goes: its row and its place in the identity map.
    mutating func releaseAll() {
        removeAllAhead { object in
            let address = UnsafeRawPointer(object).load(as: UnsafeRawPointer.self)
            Unmanaged<NSManagedObject>.fromOpaque(address)._withUnsafeGuaranteedRef { object in
                MemoryHint.load(row: object.heldRow)
                if object.flags.contains(.registered) { object.binding.identityMap?.loadPlace(of: object.key) }
            }
        }
    }
}

extension Unmanaged where Instance: NSManagedObject {
    @inline(__always)
    fileprivate func loadRow() { _withUnsafeGuaranteedRef { MemoryHint.load(row: $0.heldRow) } }
}
