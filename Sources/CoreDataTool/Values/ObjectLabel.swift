import CoreData
import Foundation

/// The label of an object: one of its texts.
enum ObjectLabel {
    /// Attributes that mostly hold a name, the best first.
    private static let usual = ["name", "title", "label", "displayName", "fullName", "subject", "key", "identifier"]

    private static let longest = 300

    /// The beginning of the text.
    static func short(_ object: NSManagedObject) -> String? { of(object).map { shortened($0, to: longest) } }

    /// A text with a maximum number of characters; a longer one ends with an ellipsis.
    static func shortened(_ text: String, to longest: Int) -> String {
        text.utf8.count <= longest || text.count <= longest ? text : text.prefix(longest - 1) + "…"
    }

    /// The text; nil if the object has none.
    static func of(_ object: NSManagedObject) -> String? {
        let attributes = object.entity.attributesByName
        let texts = attributes.values.filter { $0.attributeType == .stringAttributeType && !$0.isTransient }
            .map(\.name).sorted()
        for name in usual.filter(texts.contains) + texts {
            if let text = object.value(forKey: name) as? String, !text.isEmpty { return text }
        }
        return nil
    }
}
