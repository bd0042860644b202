import Foundation

extension NSObject {
    /// The name of the class with its module, as on a Mac.
    ///
    /// A subclass cannot override it, because Swift declares it in an extension.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobjectprotocol/description)
    public class func description() -> String { _typeName(self, qualified: true) }
}
