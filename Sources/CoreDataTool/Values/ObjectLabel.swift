import CoreData
import Foundation

/// What people call an object: one of its texts.
enum ObjectLabel {
    /// Attributes that mostly hold a name, the best first.
    private static let usual = ["name", "title", "label", "displayName", "fullName", "subject", "key", "identifier"]

    /// The text; nil where the object has none.
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
