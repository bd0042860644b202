/// The kinds of property that one typed accessor can read and write.
///
/// They are checked when an accessor meets a layout for the first time. Reading a slot as another kind would misread
/// its bytes.
struct AccessorKinds: OptionSet {
    let rawValue: UInt32

    // Computed, so that passing one is a constant and reads no global.
    static var integer: AccessorKinds { AccessorKinds(.integer, .boolean) }
    static var double: AccessorKinds { AccessorKinds(.double, .float, .date) }
    static var string: AccessorKinds { AccessorKinds(.string, .uri) }
    static var data: AccessorKinds { AccessorKinds(.data, .data) }
    static var uuid: AccessorKinds { AccessorKinds(.uuid, .uuid) }
    static var decimal: AccessorKinds { AccessorKinds(.decimal, .decimal) }
    static var toOne: AccessorKinds { AccessorKinds(.reference, .reference) }
    static var toMany: AccessorKinds { AccessorKinds(rawValue: 1 << 31) }

    @inline(__always)
    init(rawValue: UInt32) { self.rawValue = rawValue }

    @inline(__always)
    private init(_ first: SlotKind, _ second: SlotKind, _ third: SlotKind? = nil) {
        rawValue = 1 << UInt32(first.rawValue) | 1 << UInt32(second.rawValue) | 1 << UInt32((third ?? second).rawValue)
    }

    /// Stops the process when the property is of another kind.
    func check(_ access: PropertyAccess, name: String, in layout: EntityLayout) {
        let kind: AccessorKinds
        switch access {
        case .attribute(let slot), .toOne(let slot):
            kind = AccessorKinds(layout.slots[slot].kind, layout.slots[slot].kind)
        case .toMany, .fetched:
            kind = .toMany
        case .composite: fatalError("Composite attribute '\(name)' of '\(layout.name)' has many slots")
        }
        require(
            isSuperset(of: kind),
            "Property '\(name)' of entity '\(layout.name)' is \(Self.noun(access, in: layout)); its accessor was "
                + "declared with another type")
    }

    private static func noun(_ access: PropertyAccess, in layout: EntityLayout) -> String {
        switch access {
        case .attribute(let slot): "an attribute of type \(layout.slots[slot].kind)"
        case .toOne: "a to-one relationship"
        case .toMany: "a to-many relationship"
        case .fetched: "a fetched property"
        case .composite: "a composite attribute"
        }
    }
}
