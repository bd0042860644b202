import CoreDataModelCompiler
import SwiftScanning

/// Modules of Apple's platforms alone, with the advice about an import.
enum AppleModules {
    static let advice: [String: String] = {
        let screens = "leave the file out on Linux, or put what needs the module in '#if canImport'"
        let services = "there is no such service on Linux; put what needs it in '#if canImport'"
        var advice = [
            "Combine": "'--combine' writes the package OpenCombine in its place",
            "os": "the product OSLogging of OpenCoreData has it, without '--without-logging'; or use a package such as "
                + "swift-log, and locks of Foundation",
            "OSLog": "the product OSLogging of OpenCoreData has it, without '--without-logging'; or use a package such "
                + "as swift-log",
            "CommonCrypto": "add the package swift-crypto, and use 'SHA256', 'HMAC' … of its module Crypto",
            "CryptoKit": "add the package swift-crypto, and import its module Crypto, which has the same names",
            "ObjectiveC": "there is no runtime of Objective-C; NSObject is Foundation's",
            "Darwin": "Glibc and Foundation have nothing of the Mach kernel",
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
        switch module {
        case "CoreGraphics", "UniformTypeIdentifiers", "CloudKit", "CoreLocation", "CoreSpotlight", "UIKit":
            return !usesNames(of: module, in: tokens)
        case "ObjectiveC":
            return !tokens.contains { token in
                token.isWord && !FrameworkNames.associations.contains(token.text)
                    && ["objc_", "class_", "method_", "object_"].contains(where: token.text.hasPrefix)
            }
        case "Darwin": return !tokens.contains { $0.isWord && $0.text.hasPrefix("mach_") }
        default: return false
        }
    }

    /// Whether a file certainly uses names that a module has and Linux does not. Modules without a known way to name
    /// things are used by no file.
    static func usesNames(of module: String, in tokens: [SwiftToken]) -> Bool {
        let prefixes = prefixes[module] ?? []
        let names = names[module] ?? []
        return tokens.contains { token in
            guard token.isWord, !inFoundation.contains(token.text), token.text != module else { return false }
            return names.contains(token.text)
                || prefixes.contains { prefix in
                    token.text.hasPrefix(prefix) && token.text.dropFirst(prefix.count).first?.isUppercase == true
                }
        }
    }

    /// Functions and types of the Objective-C runtime that look at classes and change them.
    static let runtime: Set<String> = [
        "class_addMethod", "class_addProperty", "class_copyIvarList", "class_copyMethodList", "class_copyPropertyList",
        "class_getClassMethod", "class_getInstanceMethod", "class_getInstanceVariable", "class_getProperty",
        "class_getSuperclass", "class_replaceMethod", "class_respondsToSelector", "imp_implementationWithBlock",
        "ivar_getName", "method_exchangeImplementations", "method_getImplementation", "method_getName",
        "method_getTypeEncoding", "method_setImplementation", "objc_allocateClassPair", "objc_getClass",
        "objc_getClassList", "objc_property_t", "objc_registerClassPair", "object_getClass", "object_setClass",
        "property_getAttributes", "property_getName", "sel_getName", "sel_registerName",
    ]

    /// Whether it is known what names of a module look like.
    static func hasKnownNames(_ module: String) -> Bool { prefixes[module] != nil || names[module] != nil }

    /// What names of a module begin with.
    private static let prefixes: [String: [String]] = [
        "ARKit": ["AR"], "AVFoundation": ["AV"], "AVKit": ["AV"], "BackgroundTasks": ["BG"],
        "CloudKit": ["CK", "NSPersistentCloudKit"], "CommonCrypto": ["CC", "CC_", "kCC"],
        "Contacts": ["CN"], "ContactsUI": ["CN"], "CoreGraphics": ["CG", "kCG"], "CoreImage": ["CI"],
        "CoreLocation": ["CL", "kCL"], "CoreML": ["ML"], "CoreSpotlight": ["CS", "NSCoreDataCoreSpotlight"],
        "CoreText": ["CT"],
        "EventKit": ["EK"], "GameKit": ["GK"], "HealthKit": ["HK"], "Intents": ["IN"], "LocalAuthentication": ["LA"],
        "MapKit": ["MK"], "MessageUI": ["MF"], "NaturalLanguage": ["NL"], "Network": ["NW"], "Photos": ["PH"],
        "PhotosUI": ["PH"], "QuartzCore": ["CA"], "SceneKit": ["SCN"], "SpriteKit": ["SK"], "StoreKit": ["SK"],
        "SystemConfiguration": ["SC"],
        "UIKit": ["UI", "CG", "CA", "NSLayout", "NSText", "NSDiffable", "NSAttributedString"],
        "UniformTypeIdentifiers": ["UT", "kUT"], "UserNotifications": ["UN"], "Vision": ["VN"],
        "WatchConnectivity": ["WC"], "WatchKit": ["WK"], "WebKit": ["WK"],
    ]

    /// Names of modules that have no prefix, or share it with Foundation.
    private static let names: [String: Set<String>] = {
        let windows: Set = [
            "NSApplication", "NSApplicationDelegate", "NSApplicationMain", "NSApp", "NSView", "NSViewController",
            "NSWindow",
            "NSWindowController", "NSColor", "NSImage", "NSFont", "NSTableView", "NSTableViewDataSource",
            "NSOutlineView",
            "NSCollectionView", "NSButton", "NSTextField", "NSControl", "NSMenu", "NSMenuItem", "NSEvent",
            "NSResponder",
            "NSStoryboard", "NSDocument", "NSPersistentDocument", "NSArrayController", "NSWorkspace", "NSPasteboard",
            "NSAlert",
        ]
        return [
            "AppKit": windows, "Cocoa": windows,
            "SwiftUI": [
                "View", "ViewModifier", "Text", "State", "Binding", "ObservedObject", "StateObject",
                "EnvironmentObject",
                "Environment", "EnvironmentValues", "EnvironmentKey", "Scene", "WindowGroup", "App", "Color",
                "PreviewProvider",
                "Preview", "FetchRequest", "FetchedResults", "SectionedFetchRequest", "SectionedFetchResults",
                "DynamicProperty",
                "ViewBuilder", "NSHostingController", "UIHostingController", "Image", "Button", "List", "VStack",
                "HStack",
                "ZStack", "AppStorage", "SceneStorage", "NavigationView", "NavigationStack", "ForEach", "withAnimation",
            ],
            "WidgetKit": ["Widget", "WidgetBundle", "TimelineProvider", "TimelineEntry", "Timeline", "WidgetCenter"],
            "AppIntents": ["AppIntent", "AppEntity", "AppEnum", "AppShortcutsProvider", "EntityQuery"],
            "CryptoKit": [
                "SHA256", "SHA384", "SHA512", "HMAC", "HKDF", "AES", "ChaChaPoly", "SymmetricKey", "Insecure",
                "Curve25519",
                "P256", "P384", "P521", "SecureEnclave",
            ],
            "Charts": ["Chart", "BarMark", "LineMark", "PointMark"],
        ]
    }()

    private static let inFoundation: Set<String> = ["CGFloat", "CGPoint", "CGSize", "CGRect"]
}
