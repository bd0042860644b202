import Foundation

#if canImport(CoreData)
import CoreData

/// A member of a society.
public final class Fellow: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged public var email: String?
    @NSManaged public var joined: Date

    /// An address has an @, and no capital letters.
    ///
    /// The plugin lists the method, and validation finds it by its name on Linux. Objective-C would need `@objc`,
    /// which Linux does not have. So the override below calls it on Apple's systems.
    func validateEmail(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let email = value.pointee as? String else { return }
        guard email.contains("@") else { throw CocoaError(.validationStringPatternMatching) }
        if email != email.lowercased() { value.pointee = email.lowercased() as NSString }
    }

    public override func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
        try super.validateValue(value, forKey: key)
        // On Linux the value is valid by now.
        if key == "email" { try validateEmail(value) }
    }
}
#endif
