extension MemoryHint {
    /// Loads an object. It takes 56 bytes, which lie on one or two lines.
    @inline(__always)
    static func load(object address: UnsafeRawPointer) {
        load(address)
        load(address + 48)
    }
}

extension Array where Element: NSManagedObject {
    /// Calls a body with each object, and loads the memory of the objects that follow.
    ///
    /// The array holds the objects during the pass, which counts no reference to them.
    ///
    /// - Parameter rows: Whether the rows of the objects are loaded, too.
    @inline(__always)
    func eachAhead(rows: Bool = false, _ body: (Element) throws -> Void) rethrows {
        try withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let addresses = base.assumingMemoryBound(to: UnsafeRawPointer.self)
            let count = bytes.count / MemoryLayout<UnsafeRawPointer>.stride
            for place in 0..<count {
                let ahead = place + MemoryHint.distance
                if rows {
                    if ahead < count { Unmanaged<Element>.fromOpaque(addresses[ahead]).loadRow() }
                    let further = ahead + MemoryHint.distance
                    if further < count { MemoryHint.load(object: addresses[further]) }
                } else if ahead < count {
                    MemoryHint.load(object: addresses[ahead])
                }
                try Unmanaged<Element>.fromOpaque(addresses[place])._withUnsafeGuaranteedRef { try body($0) }
            }
        }
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
