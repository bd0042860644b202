import Foundation

extension NSObject {
    /// The name of the class with its module, as on a Mac.
    ///
    /// Swift lets no subclass override it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobjectprotocol/description)
    public class func description() -> String { _typeName(self, qualified: true) }
}
