import Foundation

/// The name under which a value transformer is registered.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsvaluetransformername)
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String

    /// Creates a name from a string.
    ///
    /// - Parameter rawValue: The string.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from a string.
    ///
    /// - Parameter rawValue: The string.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A converter of values, which may also convert back. The transformer of a transformable attribute encodes its values
/// as data.
///
/// The transformer of an attribute encodes the value as `Data` by ``transformedValue(_:)``, and decodes it by
/// ``reverseTransformedValue(_:)``. For the unarchiving transformers, such as ``NSSecureUnarchiveFromDataTransformer``,
/// the two directions are exchanged. The framework calls transformers on any thread.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer)
open class ValueTransformer: NSObject, ValueTransformerByName {
    /// Creates a transformer.
    public override init() {
        super.init()
    }

    /// The class of the results of ``transformedValue(_:)``; `NSObject` unless overridden.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/transformedvalueclass())
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformer can convert back; true unless overridden.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/allowsreversetransformation())
    open class func allowsReverseTransformation() -> Bool { true }

    /// Converts a value. The base class returns the value itself.
    ///
    /// - Parameter value: The value.
    /// - Returns: The result; nil if there is none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/transformedvalue(_:))
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Converts a result back to its value.
    ///
    /// The base class calls ``transformedValue(_:)``. It stops the process if the transformer cannot convert back.
    ///
    /// - Parameter value: A result of ``transformedValue(_:)``.
    /// - Returns: The value; nil if there is none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/reversetransformedvalue(_:))
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        require(
            Self.allowsReverseTransformation(),
            "The value transformer \(Self.self) does not allow reverse transformation")
        return transformedValue(value)
    }

    /// Registers a transformer. Any thread may call the function.
    ///
    /// - Parameters:
    ///   - transformer: The transformer; nil removes the one with the name.
    ///   - name: The name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/setvaluetransformer(_:forname:))
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        ValueTransformerRegistry.set(transformer, for: name)
    }

    /// The names of all registered transformers, the built-in ones included, in alphabetical order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/valuetransformernames())
    open class func valueTransformerNames() -> [NSValueTransformerName] { ValueTransformerRegistry.names }
}

/// The type that declares `init(forName:)` of ``ValueTransformer``, which returns the registered object.
///
/// OpenCoreData only. An initialiser of a class cannot return another object; an initialiser in a protocol's extension
/// can.
public protocol ValueTransformerByName {}

extension ValueTransformerByName where Self: ValueTransformer {
    /// Finds the transformer that is registered under a name. Any thread may call it.
    ///
    /// The result is nil if there is none. Classes are not found by their names, except
    /// `NSSecureUnarchiveFromDataTransformer`.
    ///
    /// - Parameter name: The name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/valuetransformer/init(forname:))
    public init?(forName name: NSValueTransformerName) {
        guard let found = ValueTransformerRegistry.transformer(named: name) as? Self else { return nil }
        self = found
    }
}

/// The registered transformers by name. May be used from any thread.
enum ValueTransformerRegistry {
    private static let registered = Locked<[NSValueTransformerName: ValueTransformer]>(builtIn)

    static func set(_ transformer: ValueTransformer?, for name: NSValueTransformerName) {
        registered.withLock { $0[name] = transformer }
    }

    static var names: [NSValueTransformerName] {
        registered.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// The transformer under a name. The transformer that transformable attributes use is also found by the name of its
    /// class, because models contain either name.
    static func transformer(named name: NSValueTransformerName) -> ValueTransformer? {
        registered.withLock { registered in
            if let found = registered[name] { return found }
            return name.rawValue == "NSSecureUnarchiveFromDataTransformer"
                ? registered[.secureUnarchiveFromDataTransformerName] : nil
        }
    }
}
