import CoreData

/// A value with a class of its own, for transformable attributes.
public final class Shade: NSObject, NSSecureCoding, @unchecked Sendable {  // immutable
    public static var supportsSecureCoding: Bool { true }

    public let name: String
    public let depth: Int

    public init(_ name: String, depth: Int) {
        self.name = name
        self.depth = depth
    }

    public init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
        depth = coder.decodeInteger(forKey: "depth")
    }

    public func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(depth, forKey: "depth")
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Shade else { return false }
        return other.name == name && other.depth == depth
    }

    public override var hash: Int { name.hashValue }
}

/// Unarchives shades, securely.
public final class ShadeTransformer: NSSecureUnarchiveFromDataTransformer {
    public static let name = NSValueTransformerName("ShadeTransformer")

    public override class var allowedTopLevelClasses: [AnyClass] { [Shade.self] }
}

/// Makes bytes of text, back to front.
public final class ReversingTransformer: ValueTransformer {
    public static let name = NSValueTransformerName("ReversingTransformer")

    public override class func transformedValueClass() -> AnyClass { NSData.self }
    public override class func allowsReverseTransformation() -> Bool { true }

    public override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { Data(String($0.reversed()).utf8) }
    }

    public override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
    }
}
