/// The name of a class inside other types, by which the Swift runtime finds the class: its mangled name.
///
/// `NSClassFromString` finds only classes at the top level of a module.
struct NestedClassName {
    private let module: Substring
    private let outer: [Substring]
    private let name: Substring

    /// The parts of "Module.Outer.Class". Nil if they cannot be looked up: there is no outer type or there are very
    /// many, or parts are not ASCII names.
    init?(_ parts: [Substring]) {
        guard (3...7).contains(parts.count), parts.allSatisfy({ Self.isPlain($0) }) else { return nil }
        (module, outer, name) = (parts[0], Array(parts[1..<(parts.count - 1)]), parts[parts.count - 1])
    }

    /// The class. The runtime's names distinguish classes, structures and enumerations, and this name does not, so all
    /// combinations are tried.
    var anyClass: AnyClass? {
        var names = [Self.identifier(module)]
        for type in outer {
            names = names.flatMap { start in ["C", "V", "O"].map { start + Self.identifier(type) + $0 } }
        }
        for start in names {
            if let found = _typeByName(start + Self.identifier(name) + "C") as? AnyClass { return found }
        }
        return nil
    }

    private static func identifier(_ part: Substring) -> String { "\(part.utf8.count)\(part)" }

    private static func isPlain(_ part: Substring) -> Bool {
        part.utf8.first.map { !(48...57).contains($0) } == true
            && part.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 95 }
    }
}
