import Foundation

/// One component of a key path, without the signs of optionals.
struct KeyPathComponent {
    /// The name of a stored property; nil for a computed one.
    let name: String?
    /// Identifies a computed property, whichever class or generic type the key path begins with.
    let identity: UInt
}

/// Reads the components of key paths.
///
/// A key path does not contain the names of computed properties, as the properties of models are. The compiler's text
/// has the address of a function for each of them, but not the same one for a class and its subclass. In the memory of
/// the key path the identity of the property, by which key paths are compared, lies right before that address.
enum KeyPathComponents {
    static func of(_ keyPath: AnyKeyPath) -> [KeyPathComponent] {
        var rest = Substring(text(keyPath))
        var components: [KeyPathComponent] = []
        var memory = KeyPathMemory(keyPath)
        while !rest.isEmpty {
            let (part, after) = split(rest)
            rest = after
            if let address = address(in: part) {
                components.append(KeyPathComponent(name: nil, identity: memory.identity(before: address)))
            } else {
                components.append(KeyPathComponent(name: part, identity: 0))
            }
        }
        return components
    }

    /// The identity of the only component of a key path.
    static func identity(_ keyPath: AnyKeyPath) -> UInt? {
        let components = of(keyPath)
        return components.count == 1 && components[0].name == nil ? components[0].identity : nil
    }

    /// The text behind the root type.
    private static func text(_ keyPath: AnyKeyPath) -> String {
        let text = keyPath.debugDescription
        let root = "\\" + Schema.unqualifiedName(of: type(of: keyPath).rootType)
        guard text.hasPrefix(root) else { return "" }
        return String(text.dropFirst(root.count).drop { $0 == "." || $0 == "?" || $0 == "!" })
    }

    /// The address in the text of a computed component: `<computed 0x000055ed14215a0 (String)>`.
    private static func address(in part: String) -> UInt? {
        let prefix = "<computed 0x"
        guard part.hasPrefix(prefix) else { return nil }
        return UInt(part.dropFirst(prefix.count).prefix { $0.isHexDigit }, radix: 16)
    }

    /// The first component, and what comes behind it.
    private static func split(_ text: Substring) -> (part: String, rest: Substring) {
        let end =
            text.hasPrefix("<")
            ? text.range(of: ")>")?.upperBound ?? text.endIndex
            : text.firstIndex { $0 == "." || $0 == "?" || $0 == "!" } ?? text.endIndex
        return (String(text[..<end]), text[end...].drop { $0 == "?" || $0 == "!" || $0 == "." })
    }
}

/// The words in the memory of a key path, read from its beginning to its end.
///
/// `RuntimeAssumptionTests` of the framework do not know this type: `SwiftDataKeyPathTests` test it.
private struct KeyPathMemory {
    /// The key path's own fields: class, reference count and name for Objective-C. The word behind them has the size.
    private static let fields = 3
    /// The bits of that word which are the size in bytes.
    private static let sizeMask: UInt = 0xFF_FFFF
    /// Identities below this number are places in an object and not addresses.
    private static let smallestAddress: UInt = 4096

    private let keyPath: AnyKeyPath
    private var position = fields + 1
    private let end: Int

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
        let size = Self.words(keyPath)[Self.fields] & Self.sizeMask
        end = Self.fields + 1 + Int(size) / MemoryLayout<UInt>.size
    }

    private static func words(_ keyPath: AnyKeyPath) -> UnsafePointer<UInt> {
        UnsafePointer(Unmanaged.passUnretained(keyPath).toOpaque().assumingMemoryBound(to: UInt.self))
    }

    /// The identity of the next computed component, whose function has the address; that address if there is none.
    mutating func identity(before address: UInt) -> UInt {
        withExtendedLifetime(keyPath) {
            let words = Self.words(keyPath)
            for place in position..<max(position, end) where words[place] == address {
                position = place + 1
                return words[place - 1] >= Self.smallestAddress ? words[place - 1] : address
            }
            return address
        }
    }
}
