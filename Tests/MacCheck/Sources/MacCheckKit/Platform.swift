import CoreData

/// What runs the checks.
package enum Platform {
    #if canImport(Darwin)
    package static let name = "macOS, \(ProcessInfo.processInfo.operatingSystemVersionString)"
    package static let framework =
        "Core Data \(Bundle(for: NSManagedObject.self).infoDictionary?["CFBundleVersion"] ?? "of an unknown version")"
    #else
    package static let name = "Linux, OpenCoreData"
    package static let framework = "OpenCoreData"
    #endif
}
