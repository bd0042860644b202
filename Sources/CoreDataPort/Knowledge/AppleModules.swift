import CoreDataModelCompiler

/// Modules of Apple's platforms alone, with the advice about an import.
enum AppleModules {
    static let advice: [String: String] = {
        let screens = "leave the file out on Linux, or put what needs the module in '#if canImport'"
        let services = "there is no such service on Linux; put what needs it in '#if canImport'"
        var advice = [
            "Combine": "'--combine' writes the package OpenCombine in its place",
            "os": "use print, a package such as swift-log, or locks of Foundation",
            "OSLog": "use a package such as swift-log",
            "CommonCrypto": "add the package swift-crypto, and use 'SHA256', 'HMAC' … of its module Crypto",
            "CryptoKit": "add the package swift-crypto, and import its module Crypto, which has the same names",
            "ObjectiveC": "there is no runtime of Objective-C; NSObject is Foundation's",
            "Darwin": "Glibc and Foundation have nothing of the Mach kernel",
            "SwiftData": "write the classes as managed objects",
        ]
        for module in [
            "UIKit", "AppKit", "Cocoa", "SwiftUI", "WatchKit", "WidgetKit", "MapKit", "QuartzCore", "CoreGraphics",
            "CoreImage",
            "CoreText", "Charts", "AVFoundation", "AVKit", "Photos", "PhotosUI", "WebKit", "SceneKit", "SpriteKit",
            "ARKit",
        ] { advice[module] = screens }
        for module in [
            "CloudKit", "CoreSpotlight", "CoreLocation", "Contacts", "ContactsUI", "EventKit", "HealthKit", "StoreKit",
            "WatchConnectivity", "UserNotifications", "BackgroundTasks", "Intents", "AppIntents", "MobileCoreServices",
            "UniformTypeIdentifiers", "LocalAuthentication", "Security", "MessageUI", "CoreServices",
            "Network",
            "SystemConfiguration", "GameKit", "CoreML", "Vision", "NaturalLanguage",
        ] { advice[module] = services }
        return advice
    }()

    /// The modules that the product OSLogging replaces.
    static let ofLogging: Set<String> = ["os", "OSLog"]

    /// Whether a module exists on Apple's systems only, without a replacement.
    static func isOfSystem(_ module: String) -> Bool {
        advice[module] != nil && !ofLogging.contains(module) && !["Combine", "Darwin", "ObjectiveC"].contains(module)
    }

    /// Whether a file imports a module only for names that the module re-exports from Foundation, or that Foundation on
    /// Linux has.
    static func isReplaceable(_ module: String, in tokens: [SwiftToken]) -> Bool {
        let prefixes: [String]
        switch module {
        case "CoreGraphics": prefixes = ["CG", "kCG"]
        case "ObjectiveC":
            return !tokens.contains { token in
                token.isWord && ["objc_", "class_", "method_", "object_"].contains(where: token.text.hasPrefix)
            }
        case "Darwin": return !tokens.contains { $0.isWord && $0.text.hasPrefix("mach_") }
        case "UniformTypeIdentifiers": prefixes = ["UT", "kUT"]
        case "CloudKit": prefixes = ["CK", "NSPersistentCloudKit"]
        case "CoreLocation": prefixes = ["CL", "kCL"]
        case "CoreSpotlight": prefixes = ["CS", "NSCoreDataCoreSpotlight"]
        case "UIKit": prefixes = ["UI", "CG", "CA", "NSLayout", "NSText", "NSDiffable", "NSAttributedString"]
        default: return false
        }
        return !tokens.contains { token in
            guard token.isWord, !inFoundation.contains(token.text), token.text != "UIKit" else { return false }
            return prefixes.contains { prefix in
                token.text.hasPrefix(prefix) && token.text.dropFirst(prefix.count).first?.isUppercase == true
            }
        }
    }

    private static let inFoundation: Set<String> = ["CGFloat", "CGPoint", "CGSize", "CGRect"]
}
