import Foundation

extension Data {
    /// The bytes of a value that is data, of Swift or of Foundation; nil for other values.
    ///
    /// A cast from `NSData` copies each byte by itself on Linux, which takes 60 ms for a megabyte.
    init?(of value: Any?) {
        guard let value else { return nil }
        if type(of: value) is AnyClass, let object = value as? NSData {
            self = object.isEmpty ? Data() : Data(bytes: object.bytes, count: object.count)
        } else if let data = value as? Data {
            self = data
        } else {
            return nil
        }
    }
}
