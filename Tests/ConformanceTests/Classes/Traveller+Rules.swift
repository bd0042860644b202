import CoreData

// What a program adds to a generated class. On a Mac Objective-C finds it by its name, here by the plugin's list.

extension Traveller {
    /// An address has an @, and no capital letters.
    #if canImport(ObjectiveC)
    @objc
    #endif
    func validateEmail(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let email = value.pointee as? String else { return }
        if !email.contains("@") { throw CocoaError(.validationStringPatternMatching) }
        if email != email.lowercased() { value.pointee = email.lowercased() as NSString }
    }

    /// The letter under which a list has the traveller.
    #if canImport(ObjectiveC)
    @objc
    #endif
    var initial: String { String((name ?? "").prefix(1)) }

    #if canImport(ObjectiveC)
    @objc
    #endif
    func isReachable() -> Bool { email != nil }

    #if canImport(ObjectiveC)
    @objc
    #endif
    func setFullName(_ name: String) { self.name = name }
}
