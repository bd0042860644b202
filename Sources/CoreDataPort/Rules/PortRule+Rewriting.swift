extension PortRule {
    /// The rules that rewrite code of certain meaning. Some report the rest.
    static let rewriting: [PortRule] = attributes + selectors + imports + requests + names + forms + mirroring + files

    private static let attributes: [PortRule] = [
        PortRule("objc", "removes @objc, @objc(Name) and @objcMembers; a protocol stays one of classes", at: .mark("@"))
        {
            $0.portAttribute(at: $1)
        },
        PortRule("optional-methods", "gives optional methods of protocols an implementation", at: .mark("@")) {
            $0.portOptionalMember(at: $1)
        },
        PortRule("optional-calls", "calls such methods without a question mark", at: .anyWord) {
            $0.portOptionalCall(at: $1)
        },
        PortRule("local-classes", "moves classes with @NSManaged out of functions", at: .mark("@")) {
            $0.portLocalClass(at: $1)
        },
        PortRule(
            "macro-texts", "removes @objc from the code that a macro writes",
            at: .literal
        ) {
            $0.portMacroText(at: $1)
        },
        PortRule("overrides", "moves overrides out of extensions, into the class", at: "override") {
            $0.portOverride(at: $1)
        },
    ]

    private static let selectors: [PortRule] = [
        PortRule("comparisons", "names the comparison of a sort descriptor in place of its selector", at: .mark("#")) {
            $0.portComparison(at: $1)
        },
        PortRule(
            "named-comparisons", "does so where the selector is made of a text", at: "Selector",
            "NSSelectorFromString"
        ) { $0.portNamedComparison(at: $1) },
        PortRule("getters", "writes the name of a property for the selector of its getter", at: .mark("#")) {
            $0.portNameOfGetter(at: $1)
        },
        PortRule("written-selectors", "writes the name of a selector into the text that it is part of", at: .mark("#"))
        {
            $0.portWrittenSelector(at: $1)
        },
        PortRule("observers", "gives observers a method in place of a selector", at: .mark("#")) {
            $0.portObserver(at: $1)
        },
        PortRule("timers", "gives timers a block in place of a target and a selector", at: .mark("#")) {
            $0.portTimer(at: $1)
        },
        PortRule("key-paths", "writes strings for #keyPath, once the keys are found", at: .mark("#")) {
            $0.portKeyPath(at: $1)
        },
    ]

    private static let imports: [PortRule] = [
        PortRule("headers", "imports a module in place of one of its headers", at: "import") {
            $0.portHeaderImport(at: $1)
        },
        PortRule("replaced-imports", "imports Foundation in place of a module that only its names are of", at: "import")
        {
            $0.portReplaceableImport(at: $1)
        },
        PortRule(
            "guarded-imports", "imports a module only where it is, if compiled code uses none of its names",
            at: "import"
        ) {
            $0.guardImport(at: $1)
        },
        PortRule("logging", "adds the product OSLogging where os, os.log or OSLog is imported", at: "import") {
            $0.portLoggingImport(at: $1)
        },
        PortRule(
            "logging-names", "leaves 'os.' away before a name, where the package depends on other ones", at: "os"
        ) {
            $0.portNameOfLogging(at: $1)
        },
        PortRule("combine", "imports OpenCombine in place of Combine (--combine)", at: "import") {
            $0.portCombineImport(at: $1)
        },
        PortRule("combine-names", "leaves 'Combine.' away before a name (--combine)", at: "Combine") {
            $0.portNameOfCombine(at: $1)
        },
        PortRule(
            "combine-merges", "merges publishers by an operator that OpenCombine has (--combine)", at: "Merge",
            "Merge3",
            "Merge4", "Merge5", "Merge6", "Merge7", "Merge8"
        ) {
            $0.portMerge(at: $1)
        },
        PortRule("public-imports", "opens an import that public declarations need on Linux", at: "import") {
            $0.openImport(at: $1)
        },
        PortRule("missing-imports", "adds the imports that names need on Linux", ofFile: { $0.addImports() }),
    ]

    private static let requests: [PortRule] = [
        PortRule("request-casts", "casts fetch requests between types of results, as a Mac does", at: "as") {
            $0.portCast(at: $1)
        },
        PortRule("request-tests", "tests with 'is' for fetch requests, as a Mac does", at: "is") {
            $0.portTypeTest(at: $1)
        },
        PortRule("returned-requests", "gives a class's request the type that a function returns", at: "fetchRequest") {
            $0.portReturnedRequest(at: $1)
        },
        PortRule(
            "plain-requests", "gives a class's request any type of result where it is to give none of the class",
            at: "fetchRequest"
        ) { $0.portPlainRequest(at: $1) },
        PortRule("generic-requests", "says of a generic result that it is one of fetch requests", at: "func") {
            $0.portGenericRequest(at: $1)
        },
    ]

    private static let names: [PortRule] = [
        PortRule("bundles", "finds the bundle of a class's target", at: "Bundle", "init") { $0.portBundle(at: $1) },
        PortRule(
            "bundle-identifiers", "names the process where an identifier is forced, which no program has on Linux",
            at: "bundleIdentifier"
        ) { $0.portBundleIdentifier(at: $1) },
        PortRule("texts-of-keys", "writes out the keys of a bundle that are constants", at: Self.bundleKeys) {
            $0.portBundleKey(at: $1)
        },
        PortRule("qualified-names", "names the framework for what is Foundation's on a Mac", at: "Foundation") {
            $0.portQualifiedName(at: $1)
        },
        PortRule(
            "own-names", "names the module of own types that Foundation has, too", at: "Predicate", "SortDescriptor",
            "Expression"
        ) { $0.portOwnName(at: $1) },
        PortRule("class-names", "gives an entity the name that its class has in Swift", at: "managedObjectClassName") {
            $0.portClassName(at: $1)
        },
        PortRule(
            "names-of-classes", "asks Swift for the names of generic and inner classes that are not managed",
            at: "NSStringFromClass"
        ) {
            $0.portNameOfClass(at: $1)
        },
        PortRule(
            "classes-of-entities", "asks an object of an entity for its class, which a name does not give",
            at: "NSClassFromString"
        ) {
            $0.portClassOfEntity(at: $1)
        },
        PortRule("names-of-tests", "asks Swift for the name of a test's class", at: "className") {
            $0.portTestName(at: $1)
        },
        PortRule("descriptions-of-tests", "does so for type(of: self).description()", at: "description") {
            $0.portClassDescription(at: $1)
        },
        PortRule("names-of-key-paths", "asks the framework for the name of a key path", at: "_kvcKeyPathString") {
            $0.portNameOfKeyPath(at: $1)
        },
        PortRule(
            "units", "writes out the units of time of Dispatch", at: "NSEC_PER_SEC", "NSEC_PER_MSEC", "NSEC_PER_USEC",
            "USEC_PER_SEC"
        ) { $0.portUnit(at: $1) },
        PortRule("run-loop-modes", "names the modes of run loops as C does", at: "commonModes", "defaultMode") {
            $0.portRunLoopMode(at: $1)
        },
    ]

    private static let forms: [PortRule] = [
        PortRule(
            "set-literals", "makes Foundation's sets from literals by their initialiser", at: "NSSet", "NSMutableSet"
        ) {
            $0.portSetLiteral(at: $1)
        },
        PortRule("set-values", "does so for relationships that are Foundation's sets", at: .anyWord) {
            $0.portSetValue(at: $1)
        },
        PortRule("mutable-values", "asks for a relationship's set that can be changed", at: "value") {
            $0.portMutableValue(at: $1)
        },
        PortRule("empty-predicates", "gives an empty predicate the value true", at: "NSPredicate") {
            $0.portEmptyPredicate(at: $1)
        },
        PortRule("argument-casts", "takes 'as CVarArg' from arguments of a predicate", at: "as") {
            $0.portArgumentCast(at: $1)
        },
        PortRule("argument-types", "lets parameters for such arguments take anything", at: "CVarArg") {
            $0.portArgumentType(at: $1)
        },
        PortRule("argument-lists", "hands lists of such arguments on as they are", at: "withVaList") {
            $0.portArgumentList(at: $1)
        },
        PortRule("argument-pointers", "does so where C's list of them is made", at: "getVaList") {
            $0.portArgumentPointer(at: $1)
        },
        PortRule("error-output", "writes to standard error by a handle, for version 6 of the language", at: "fputs") {
            $0.portErrorOutput(at: $1)
        },
        PortRule("plain-texts", "looks up texts without values by their function in Foundation", at: "String") {
            $0.portLocalizedText(at: $1)
        },
        PortRule("texts-with-values", "writes texts with values in the language of the source", at: "String") {
            $0.portTextWithValues(at: $1)
        },
        PortRule("characters", "reads a text itself in place of its characters, as Swift 5 does", at: "characters") {
            $0.portCharacters(at: $1)
        },
        PortRule("superclasses", "asks a class for its superclass by the property that Linux has", at: "superclass") {
            $0.portSuperclass(at: $1)
        },
        PortRule(
            "security-scopes", "takes it that any file is open to the program",
            at: "startAccessingSecurityScopedResource", "stopAccessingSecurityScopedResource"
        ) {
            $0.portSecurityScope(at: $1)
        },
        PortRule("process-information", "takes what there is on the process in place of a new one", at: "ProcessInfo") {
            $0.portProcessInformation(at: $1)
        },
        PortRule(
            "folders", "asks the manager of files for folders that URL knows on a Mac", at: "cachesDirectory",
            "documentsDirectory", "applicationSupportDirectory", "libraryDirectory"
        ) { $0.portFolder(at: $1) },
        PortRule(
            "application-groups", "takes it that the program is in no application group", at: "containerURL"
        ) {
            $0.portApplicationGroup(at: $1)
        },
        PortRule("resource-lists", "makes URLs of the places of a bundle's resources", at: "urls") {
            $0.portResourceList(at: $1)
        },
        PortRule("coder-classes", "takes a class itself for its class for a coder", at: "classForCoder") {
            $0.portClassForCoder(at: $1)
        },
        PortRule(
            "main-actor-tests", "makes tests of the main actor asynchronous, so that XCTest finds them", at: "func"
        ) {
            $0.portTestOfMainActor(at: $1)
        },
        PortRule(
            "empty-set-ups", "leaves out calls of XCTest's empty setUp() and tearDown() from the main actor",
            at: "super"
        ) {
            $0.portEmptySetUp(at: $1)
        },
        PortRule("waits", "says that a test waits as long as it takes", at: "wait", "fulfillment") {
            $0.portWait(at: $1)
        },
    ]

    private static let mirroring: [PortRule] = [
        PortRule("tests-for-mirroring", "answers whether CloudKit mirrors a container", at: "is") {
            $0.portTestForMirroring(at: $1)
        },
        PortRule(
            "mirrored-containers", "makes containers that CloudKit does not mirror", at: "NSPersistentCloudKitContainer"
        ) {
            $0.portMirroredContainer(at: $1)
        },
        PortRule(
            "mirroring-options", "leaves out what sets up the mirroring by CloudKit", at: "cloudKitContainerOptions",
            "initializeCloudKitSchema"
        ) {
            $0.portMirroringStatement(at: $1)
        },
    ]

    private static let files: [PortRule] = [
        PortRule(
            "guarded-files", "leaves out whole files for modules that Linux does not have, if no other code needs them",
            ofWholeFile: { $0.guardFile() }),
        PortRule(
            "system-branches", "gives Linux the value of the first system where a condition has none for it",
            ofFile: { $0.addSystemToBranches() }),
        PortRule("keyed-paths", "names a class's own property in place of a key path", at: .mark("\\")) {
            $0.portPathToKeyedProperty(at: $1)
        },
        PortRule(
            "keyed-properties", "answers for a class's own properties whose key paths are asked for names",
            ofFile: { $0.answerForKeyedProperties() }),
        PortRule(
            "private-classes", "opens private classes with @NSManaged, and those whose name is asked for",
            ofFile: { $0.openPrivateClasses() }),
        PortRule(
            "policy-functions",
            "writes the override that calls functions of a mapping model by names that no plugin sees",
            ofFile: { $0.writeFunctions() }),
        PortRule(
            "model-classes", "writes the names that classes have in Swift into models", ofModel: ModelClassNames.edits),
        PortRule(
            "tools-version", "raises the version of the tools in Package.swift", ofManifest: { $0.raiseToolsVersion() }),
        PortRule(
            "package", "adds OpenCoreData and what else is imported to Package.swift, and plugin and models to targets",
            ofManifest: { $0.addProducts() }),
    ]
}
