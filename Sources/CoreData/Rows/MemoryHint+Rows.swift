extension MemoryHint {
    /// Loads the beginning of a row: its counts, its key and its first values.
    @inline(__always)
    static func load(row: Unmanaged<Snapshot>?) {
        guard let row else { return }
        let address = UnsafeRawPointer(row.toOpaque())
        load(address)
        load(address + 64)
    }

    /// Loads a row that was built a little later: the objects of a result often go in the order of their rows.
    @inline(__always)
    static func load(rowsBehind row: Unmanaged<Snapshot>) { load(UnsafeRawPointer(row.toOpaque()) + 2_048) }

    /// Loads a whole row.
    @inline(__always)
    static func load(wholeRow row: Unmanaged<Snapshot>) {
        let address = UnsafeRawPointer(row.toOpaque())
        load(address)
        load(address + 64)
        load(address + 128)
        load(address + 192)
    }
}

extension Array<Snapshot> {
    /// Calls a body with each row, and loads the memory of the rows that follow.
    @inline(__always)
    func eachAhead(_ body: (Snapshot) throws -> Void) rethrows {
        try eachAhead(
            loading: { addresses, place in
                let ahead = place + MemoryHint.distance
                if ahead < addresses.count { MemoryHint.load(addresses[ahead]) }
            }, body)
    }
}
