extension PortRule {
    /// The rules that report work by hand, with advice.
    static let reporting: [PortRule] = runtime + platforms + tests + places

    private static let runtime: [PortRule] = [
        PortRule("selectors", "other selectors", at: .mark("#"), "Selector", "NSSelectorFromString") {
            $0.reportSelector(at: $1)
        },
        PortRule(
            "observing", "key-value observing", at: "observe", "observeValue", "addObserver", "removeObserver"
        ) { $0.reportObserving(at: $1) },
        PortRule(
            "dependent-keys", "changes that classes without a model announce by key", at: "willChangeValue",
            "didChangeValue"
        ) { $0.reportAnnouncedChange(at: $1) },
        PortRule("nameless-properties", "properties that have no name for key paths without @objc", at: .mark("@")) {
            $0.reportNamelessProperty(at: $1)
        },
        PortRule(
            "runtime", "functions that look at classes and change them",
            at: AppleModules.runtime.sorted().map { .word($0) }
        ) {
            $0.reportRuntime(at: $1)
        },
        PortRule("associated-objects", "objects that are tied to another object", at: "objc_setAssociatedObject") {
            $0.reportAssociation(at: $1)
        },
        PortRule(
            "object-locks", "locks that each object has of its own", at: "objc_sync_enter", "objc_sync_exit",
            says:
                "objects have no locks of their own on Linux: use an 'NSRecursiveLock', or an 'NSLock' where no thread "
                + "comes twice"),
        PortRule("request-patterns", "patterns that match fetch requests by their type", at: "as", "is") {
            $0.reportRequestPattern(at: $1)
        },
        PortRule("c-arguments", "predicates of C's lists of arguments", at: "NSPredicate") {
            $0.reportArgumentPointer(at: $1)
        },
        PortRule("controller-casts", "casts between types of fetched results controllers", at: "as") {
            $0.reportControllerCast(at: $1)
        },
        PortRule(
            "result-types", "NSFetchRequestResult.self as the type of a generic argument", at: "NSFetchRequestResult"
        ) {
            $0.reportResultType(at: $1)
        },
        PortRule(
            "ambiguous-names", "types that Foundation declares, too, where no plugin tells them apart",
            at: "NSExpression",
            "NSComparisonPredicate", "NSCompoundPredicate"
        ) { $0.reportAmbiguity(at: $1) },
        PortRule("confined-contexts", "contexts without a queue", at: "NSManagedObjectContext") {
            $0.reportConfinedContext(at: $1)
        },
    ]

    /// Constants of CoreFoundation for keys in the property list of a bundle.
    static let bundleKeys: [Trigger] = [
        "kCFBundleNameKey", "kCFBundleIdentifierKey", "kCFBundleVersionKey", "kCFBundleExecutableKey",
        "kCFBundleDevelopmentRegionKey", "kCFBundleInfoDictionaryVersionKey", "kCFBundleLocalizationsKey",
    ]

    private static let platforms: [PortRule] = [
        PortRule("absent-imports", "modules that Linux does not have, with what to use instead", at: "import") {
            $0.reportAbsentImport(at: $1)
        },
        PortRule(
            "cloudkit", "containers that CloudKit mirrors", at: "NSPersistentCloudKitContainer",
            "NSPersistentCloudKitContainerOptions"
        ) { $0.reportMirroring(at: $1) },
        PortRule("forced-groups", "folders of application groups that are forced", at: "containerURL") {
            $0.reportApplicationGroup(at: $1)
        },
        PortRule(
            "data-of-views", "the parts of SwiftData that belong to SwiftUI", at: .mark("@"), "modelContainer",
            "modelContext", "ModelDocument"
        ) { $0.reportDataOfViews(at: $1) },
        PortRule("interface-files", "@IBAction and its kin", at: .mark("@")) { $0.reportInterfaceFile(at: $1) },
        PortRule(
            "absent-types", "types that Foundation does not have", at: "RelativeDateTimeFormatter",
            "DateComponentsFormatter", "NSUbiquitousKeyValueStore"
        ) { $0.reportAbsence(at: $1, from: "Foundation") },
        PortRule("localized-texts", "texts that are looked up in a table of strings", at: "String") {
            $0.reportLocalizedText(at: $1)
        },
        PortRule(
            "bundle-keys", "constants for the keys of a bundle, that are no texts", at: bundleKeys
        ) { $0.reportBundleKey(at: $1) },
        PortRule(
            "unfair-locks", "unfair locks, without the product OSLogging (--without-logging)",
            at: "OSAllocatedUnfairLock",
            "os_unfair_lock", "os_unfair_lock_s", "os_unfair_lock_t"
        ) { $0.reportUnfairLock(at: $1) },
    ]

    private static let tests: [PortRule] = [
        PortRule(
            "absent-test-types", "parts that XCTest does not have", at: "XCTExpectFailure",
            "keyValueObservingExpectation",
            "XCTKVOExpectation"
        ) { $0.reportAbsence(at: $1, from: "XCTest") },
        PortRule(
            "issues", "issues that a test records", at: "XCTIssue",
            says: "XCTest on Linux has no 'XCTIssue': report it by 'XCTFail(_:file:line:)'"),
        PortRule(
            "main-queue-waits", "waits that the main queue has to run for", at: "wait", "fulfillment",
            "waitForExpectations"
        ) { $0.reportWait(at: $1) },
    ]

    private static let places: [PortRule] = [
        PortRule(
            "hidden-declarations", "declarations that conditions leave out, and that other code needs",
            ofFile: { $0.reportHiddenDeclarations() }),
        PortRule(
            "vanished-files", "files that conditions leave out altogether", ofFile: { $0.reportVanished() }),
    ]
}
