import Foundation
@_spi(Reflection) import Swift

/// The Swift dictionary that an `NSDictionary` of Foundation on Linux keeps its keys and values in.
///
/// The initialisers of `NSDictionary` hash every key. A program that makes many dictionaries of equal keys hashes the
/// keys once, and copies the places of the keys from the first dictionary to each further one.
enum DictionaryContent {
    typealias Content = [NSObject: AnyObject]

    /// The place of the content in an instance; nil if Foundation's class has no such property, or is not just that
    /// property.
    private static let place: Int? = {
        var found: Int?
        // `.classType`, which is a variable, so that Swift 6 refuses its name.
        _forEachField(of: NSDictionary.self, options: _EachFieldOptions(rawValue: 1)) { name, offset, type, _ in
            if type == Content.self, String(cString: name) == "_storage" { found = offset }
            return true
        }
        guard let found else { return nil }
        let keys: [NSString] = ["a", "b"]
        let usual = NSDictionary(objects: [1, "c"], forKeys: keys)
        let made = dictionary(of: [keys[0]: NSNumber(value: 1), keys[1]: "c" as NSString], at: found)
        return made == usual && usual == made && made.count == 2 ? found : nil
    }()

    /// Whether dictionaries can be made of their content.
    static var isKnown: Bool { place != nil }

    /// A dictionary with a content, whose keys are of classes that `copy()` returns unchanged. Nil if the place of the
    /// content is not known.
    @inline(__always)
    static func dictionary(of content: consuming Content) -> NSDictionary? {
        guard let place else { return nil }
        return dictionary(of: content, at: place)
    }

    @inline(__always)
    private static func dictionary(of content: consuming Content, at place: Int) -> NSDictionary {
        let made = NSDictionary()
        (Unmanaged.passUnretained(made).toOpaque() + place).assumingMemoryBound(to: Content.self).pointee = content
        return made
    }
}
