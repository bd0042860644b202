import Foundation

/// The name a value transformer is registered under.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Wraps a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Turns a value into another one, and back where it can: a transformable attribute keeps what its transformer makes of
/// its values.
///
/// A transformer of an attribute turns the value into `Data` by `transformedValue(_:)` and back by
/// `reverseTransformedValue(_:)`. The unarchiving ones (`NSSecureUnarchiveFromDataTransformer`) are named for the way
/// from `Data` and are used the other way round. Transformers are asked on any thread.
open class ValueTransformer: NSObject, ValueTransformerByName {
    public override init() {
        super.init()
    }

    /// The class of what `transformedValue(_:)` returns.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the way back is there; true unless overridden.
    open class func allowsReverseTransformation() -> Bool { true }

    /// What the transformer makes of a value; the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that something was made of. Unless overridden: what the transformer makes of it; a transformer without
    /// a way back stops the process.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        require(
            Self.allowsReverseTransformation(),
            "The value transformer \(Self.self) does not allow reverse transformation")
        return transformedValue(value)
    }

    /// Registers a transformer under a name, or removes the one of that name with nil.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        ValueTransformerRegistry.set(transformer, for: name)
    }

    /// The names of all registered transformers, the built-in ones included.
    open class func valueTransformerNames() -> [NSValueTransformerName] { ValueTransformerRegistry.names }
}

/// Lets `ValueTransformer(forName:)` give back the registered object: an initialiser of a class cannot return another
/// one.
public protocol ValueTransformerByName {}

extension ValueTransformerByName where Self: ValueTransformer {
    /// The transformer registered under a name; nil when there is none.
    public init?(forName name: NSValueTransformerName) {
        guard let found = ValueTransformerRegistry.transformer(named: name) as? Self else { return nil }
        self = found
    }
}

/// The transformers by name. May be used from any thread.
enum ValueTransformerRegistry {
    private static let lock = NSLock()
    // Read and written under `lock` only.
    nonisolated(unsafe) private static var registered: [NSValueTransformerName: ValueTransformer] = builtIn

    static func set(_ transformer: ValueTransformer?, for name: NSValueTransformerName) {
        lock.withLock { registered[name] = transformer }
    }

    static var names: [NSValueTransformerName] {
        lock.withLock { registered.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// The transformer under a name. The one that transformable attributes use is found by the name of its class, too:
    /// models are written with either.
    static func transformer(named name: NSValueTransformerName) -> ValueTransformer? {
        lock.withLock {
            if let found = registered[name] { return found }
            return name.rawValue == "NSSecureUnarchiveFromDataTransformer"
                ? registered[.secureUnarchiveFromDataTransformerName] : nil
        }
    }
}
