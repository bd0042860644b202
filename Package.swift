// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The launch library uses what Apple's framework has too; the one place where platforms differ is a file of each.
#if os(Linux)
let otherPlatforms = ["Platform/Apple"]
#else
let otherPlatforms = ["Platform/OpenCoreData"]
#endif

let package = Package(
    name: "OpenCoreData",
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataManager", targets: ["CoreDataManager"]),
        .library(name: "MigrationTestKit", targets: ["MigrationTestKit"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .library(name: "SwiftDataTestKit", targets: ["SwiftDataTestKit"]),
        .library(name: "CoreDataPostgreSQL", targets: ["CoreDataPostgreSQL"]),
        .library(name: "OSLogging", targets: ["os", "OSLog"]),
        .library(name: "OSLoggingCore", targets: ["OSLoggingCore"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .executable(name: "coredata", targets: ["coredata-tool"]),
    ],
    traits: [
        // Without it the product is empty and needs no headers of libpq.
        .trait(name: "PostgreSQL", description: "Stores in PostgreSQL databases, by libpq"),
        // Without it no program needs the headers of libmicrohttpd.
        .trait(name: "Studio", description: "The page in the browser of coredata studio, by libmicrohttpd"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CSwiftRuntime"),
        .systemLibrary(name: "CExchange"),
        .systemLibrary(name: "CCommandLine"),
        .target(name: "CoreData", dependencies: ["CSQLite", "CZlib", "CSwiftRuntime", "CExchange"]),
        .target(name: "CoreDataManager", dependencies: ["CoreData"], exclude: otherPlatforms),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "CoreDataPostgreSQL",
            dependencies: ["CoreData", .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))]),
        .target(name: "SwiftData", dependencies: ["CoreData", "CoreDataManager", "CSwiftRuntime", "SwiftDataMacros"]),
        .target(name: "MigrationTestKit", dependencies: ["CoreData", "CSQLite"]),
        // Apart from MigrationTestKit, whose users need not build the macros.
        .target(name: "SwiftDataTestKit", dependencies: ["MigrationTestKit", "SwiftData"]),
        // Modules of Apple's systems, with loggers and locks. The module of `COSParts` is named `os`, too. The Swift
        // module is its overlay, and its parts make `import os.log` compile.
        .systemLibrary(name: "COSParts"),
        .target(name: "COSLock"),
        .target(name: "OSLoggingCore", dependencies: ["COSLock"]),
        .target(name: "os", dependencies: ["OSLoggingCore", "COSParts"]),
        .target(name: "OSLog", dependencies: ["os"]),
        // What the plugin's tool needs of the framework, compiled under another name: with the framework itself, a
        // program that uses the plugin would compile all of it twice. Links lead to the framework's sources.
        .target(
            name: "CoreDataModelReading", dependencies: ["CZlib", "CSwiftRuntime"],
            exclude: ["Expressions/Predicates", "Model/ManagedClassLookup.swift", "Model/ModelsInUse.swift"]),
        .target(name: "CoreDataModelCompiler", dependencies: ["CoreDataModelReading", "SwiftScanning"]),
        // For the plugin's tool, for `coredata port`, and for tests that read sources.
        .target(name: "SwiftScanning"),
        // The macros of SwiftData. The compiler runs the program; tests use the library.
        .target(name: "SwiftDataExpansion", dependencies: ["SwiftScanning"]),
        .macro(name: "SwiftDataMacros", dependencies: ["SwiftDataExpansion"]),
        .executableTarget(name: "coredata-modelc", dependencies: ["CoreDataModelCompiler"]),
        .plugin(name: "CoreDataModelPlugin", capability: .buildTool(), dependencies: ["coredata-modelc"]),
        .target(name: "APICoverage", path: "Tools/APICoverage", exclude: ["notes.tsv", "swiftdata-notes.tsv"]),
        .executableTarget(name: "api-coverage", dependencies: ["APICoverage"], path: "Tools/api-coverage"),
        // Runs the built tests in several processes, and measures them.
        .systemLibrary(name: "CProcesses", path: "Tools/CProcesses"),
        .executableTarget(name: "test-runner", dependencies: ["CProcesses"], path: "Tools/TestRunner"),
        .target(name: "CoreDataPort", dependencies: ["CoreData", "CoreDataModelCompiler", "SwiftScanning"]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .target(
            name: "StudioServer", dependencies: [.target(name: "CMicroHTTPD", condition: .when(traits: ["Studio"]))]),
        .target(
            name: "CoreDataTool",
            dependencies: [
                "CoreDataManager", "CoreDataModelCompiler", "CoreDataPort", "MigrationTestKit", "CCommandLine",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                "StudioServer",
            ], resources: [.copy("Studio/Page")]),
        .executableTarget(name: "coredata-tool", dependencies: ["CoreDataTool"]),
        .target(
            name: "TestSupport",
            dependencies: [
                "CoreData", "CSQLite", "SwiftScanning",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], path: "Tests/Support"),
        // The examples are packages of their own, too. As targets here they are built and run by every test, without
        // compiling the framework once more.
        .systemLibrary(
            name: "CMailSQLite", path: "Examples/LaunchDemo/Sources/CMailSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .executableTarget(
            name: "launch-demo",
            dependencies: [
                "CoreDataManager", "CMailSQLite",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            path: "Examples/LaunchDemo/Sources/launch-demo"),
        .executableTarget(
            name: "swiftdata-demo", dependencies: ["SwiftData"], path: "Examples/LaunchDemo/Sources/swiftdata-demo"),
        .executableTarget(
            name: "notes", dependencies: ["CoreData"], path: "Examples/Notes/Sources/notes",
            plugins: ["CoreDataModelPlugin"]),
        .executableTarget(
            name: "contacts", dependencies: ["CoreData"], path: "Examples/Contacts/Sources/contacts",
            plugins: ["CoreDataModelPlugin"]),
        .target(
            name: "Membership", dependencies: ["CoreData", "os"], path: "Examples/Membership/Sources/Membership",
            plugins: ["CoreDataModelPlugin"]),
        .target(
            name: "TripModels",
            dependencies: [
                "SwiftData", .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], path: "Examples/Trips/Sources/TripModels"),
        .executableTarget(name: "trips", dependencies: ["TripModels"], path: "Examples/Trips/Sources/trips"),
        .executableTarget(
            name: "importer",
            dependencies: [
                "CoreData", .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], path: "Examples/Importer/Sources/importer", plugins: ["CoreDataModelPlugin"]),
        .systemLibrary(
            name: "CHTTPD", path: "Examples/WebService/Sources/CHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        // Without the trait of the studio, whose library it needs as well, these programs do nothing.
        .target(
            name: "WebServer", dependencies: [.target(name: "CHTTPD", condition: .when(traits: ["Studio"]))],
            path: "Examples/WebService/Sources/WebServer"),
        .executableTarget(
            name: "trip-service", dependencies: ["TripModels", "WebServer"],
            path: "Examples/Trips/Sources/trip-service"),
        .executableTarget(
            name: "web-service",
            dependencies: [
                "CoreDataManager", "WebServer",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], path: "Examples/WebService/Sources/web-service", plugins: ["CoreDataModelPlugin"]),
        .executableTarget(
            name: "save-chain-child", dependencies: ["CoreData", "TestSupport"], path: "Tests/SaveChainChild"),
        .executableTarget(
            name: "migration-crash-child", dependencies: ["CoreData", "MigrationTestKit", "TestSupport"],
            path: "Tests/CrashChild"),
        .executableTarget(
            name: "plan-child", dependencies: ["SwiftData", "SwiftDataTestKit"], path: "Tests/PlanChild"),
        .executableTarget(
            name: "fault-child", dependencies: ["CoreData", "TestSupport"], path: "Tests/FaultChild"),
        .executableTarget(
            name: "writer-child", dependencies: ["CoreData", "TestSupport"], path: "Tests/WriterChild"),
        .executableTarget(
            name: "launch-child", dependencies: ["CoreDataManager", "TestSupport"], path: "Tests/LaunchChild"),
        .executableTarget(
            name: "postgresql-child",
            dependencies: [
                "CoreData", "CoreDataManager", "TestSupport",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], path: "Tests/PostgreSQLChild"),
        // The package that a Mac runs (bin/mac-check); `mac-judge` makes its stores and judges its reports.
        .target(name: "MacCheckKit", dependencies: ["CoreData"], path: "Tests/MacCheck/Sources/MacCheckKit"),
        .executableTarget(
            name: "mac-check", dependencies: ["MacCheckKit"], path: "Tests/MacCheck/Sources/mac-check"),
        .target(
            name: "MacJudge", dependencies: ["CoreData", "CoreDataModelCompiler", "MacCheckKit", "TestSupport"],
            path: "Tools/MacJudge"),
        .executableTarget(name: "mac-judge", dependencies: ["MacJudge"], path: "Tools/mac-judge"),
        .testTarget(name: "MacCheckTests", dependencies: ["MacJudge", "TestSupport", "mac-check"]),
        .executableTarget(
            name: "soak-child",
            dependencies: [
                "CoreData", "SwiftData", "TestSupport",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], path: "Tests/SoakChild"),
        .testTarget(name: "SoakTests", dependencies: ["CoreData", "TestSupport", "soak-child", "writer-child"]),
        // The tests of CoreData, in modules by subject. A change of one test builds one of these modules, and the
        // compiler searches fewer macro expansions for each place in a file.
        .testTarget(name: "CoreDataTestSupport", dependencies: ["CoreData", "TestSupport"]),
        .testTarget(
            name: "CoreDataContextTests",
            dependencies: ["CoreData", "CoreDataTestSupport", "TestSupport", "save-chain-child", "writer-child"]),
        .testTarget(
            name: "CoreDataMigrationTests",
            dependencies: ["CoreData", "CoreDataTestSupport", "TestSupport", "migration-crash-child"]),
        .testTarget(name: "CoreDataObjectTests", dependencies: ["CoreData", "CoreDataTestSupport", "TestSupport"]),
        .testTarget(name: "CoreDataRequestTests", dependencies: ["CoreData", "CoreDataTestSupport", "TestSupport"]),
        .testTarget(
            name: "CoreDataStoreTests",
            dependencies: [
                "CoreData", "CoreDataTestSupport", "TestSupport", "migration-crash-child", "writer-child",
            ]),
        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "CoreData", "CoreDataTestSupport", "TestSupport", "migration-crash-child", "writer-child",
            ]),
        // The table of changes and what fires, in the other language mode.
        .testTarget(
            name: "ObservedModeTests", dependencies: ["CoreData", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "CoreDataModelCompilerTests", dependencies: ["CoreData", "CoreDataModelCompiler", "TestSupport"]),
        .testTarget(
            name: "CoreDataPortTests", dependencies: ["CoreDataPort", "coredata-tool", "TestSupport"]),
        // Calls the compiler with the plugin. A dependency on the plugin itself would compile all of the tests'
        // modules a second time, for the machine that builds.
        .testTarget(
            name: "SwiftDataMacroTests", dependencies: ["SwiftDataExpansion", "TestSupport"], exclude: ["Samples"]),
        // Tutorial code as it stands for a Mac, with a model and the plugin.
        .testTarget(
            name: "ConformanceTests", dependencies: ["CoreData"],
            resources: [.process("Resources"), .copy("Harbours.xcdatamodeld")], plugins: ["CoreDataModelPlugin"]),
        // The tests of the example for iOS and Linux, which a Mac is to run as well.
        .testTarget(
            name: "MembershipTests", dependencies: ["Membership"], path: "Examples/Membership/Tests/MembershipTests"),
        .testTarget(
            name: "CoreDataToolTests", dependencies: ["CoreDataTool", "coredata-tool", "TestSupport"]),
        // Runs the built program, and the server of its page by itself.
        .testTarget(name: "StudioTests", dependencies: ["StudioServer", "coredata-tool", "TestSupport"]),
        // Runs the importer and the web service as programs. Linked into the tests their classes, `Book` for one, would
        // be found for entities of other models.
        .testTarget(name: "ExampleTests", dependencies: ["notes", "contacts", "TestSupport"]),
        // Runs the child behind a library of the tests' own, which is compiled by them.
        .testTarget(name: "FaultTests", dependencies: ["CoreData", "TestSupport", "fault-child"]),
        .testTarget(name: "RandomGraphTests", dependencies: ["CoreData", "TestSupport"]),
        .testTarget(name: "CorpusTests", dependencies: ["CoreData", "MigrationTestKit", "TestSupport"]),
        .testTarget(
            name: "MigrationTestKitTests",
            dependencies: ["CoreData", "MigrationTestKit", "TestSupport", "migration-crash-child"]),
        .testTarget(
            name: "CoreDataPostgreSQLTests",
            dependencies: [
                "CoreData", "CoreDataManager", "CoreDataPostgreSQL", "MigrationTestKit", "TestSupport",
                "migration-crash-child", "postgresql-child",
            ]),
        // A part of the benchmarks that draws; the rest of them measures, which no test judges.
        .target(name: "BenchmarkChart", path: "Benchmarks/Sources/BenchmarkChart"),
        .testTarget(name: "BenchmarkTests", dependencies: ["BenchmarkChart"]),
        // What damaged bytes are read by.
        .systemLibrary(
            name: "CFuzzSQLite", path: "Fuzzing/CFuzzSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CoreData", "CoreDataTool", "StudioServer", "CFuzzSQLite", "SwiftData", "SwiftDataExpansion",
            ],
            path: "Fuzzing/FuzzTargets"),
        .executableTarget(
            name: "fuzz-replay", dependencies: ["FuzzTargets"], path: "Fuzzing/fuzz-replay"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "fuzz-replay"]),
        .testTarget(
            name: "SwiftDataTests",
            dependencies: [
                "CoreData", "CoreDataManager", "CoreDataTool", "SwiftData", "SwiftDataTestKit", "TestSupport",
                "plan-child",
            ]),
        // Some of these tests in the other language mode.
        .testTarget(
            name: "SwiftDataModeTests", dependencies: ["CoreData", "SwiftData", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "APITests", dependencies: ["CoreData"]),
        .testTarget(name: "OSLoggingTests", dependencies: ["os", "OSLog", "OSLoggingCore", "TestSupport"]),
        // Reads the sources and the documents. Code of the articles is compiled by the other target.
        .testTarget(name: "DocumentationTests", dependencies: ["CoreData", "TestSupport"]),
        .testTarget(
            name: "SnippetTests",
            dependencies: [
                "CoreData", "CoreDataManager", "MigrationTestKit", "SwiftData", "SwiftDataTestKit",
                .target(name: "CoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], plugins: ["CoreDataModelPlugin"]),
        .testTarget(name: "APICoverageTests", dependencies: ["APICoverage"]),
        .testTarget(
            name: "CoreDataManagerTests",
            dependencies: ["CoreDataManager", "TestSupport", "launch-child", "coredata-tool"]),
    ],
    swiftLanguageModes: [.v6]
)

// The desktop example needs the headers of GTK 4, which few have. Examples/Desktop/test asks for it.
if Context.environment["OPENCOREDATA_GTK"] != nil {
    package.targets += [
        .systemLibrary(
            name: "CGtk", path: "Examples/Desktop/Sources/CGtk", pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .executableTarget(
            name: "address-book", dependencies: ["CGtk", "CoreDataManager"],
            path: "Examples/Desktop/Sources/address-book", plugins: ["CoreDataModelPlugin"]),
    ]
}

// The main function of this program is libFuzzer's. bin/fuzz asks for it, with the sanitizers that bring it.
if Context.environment["OPENCOREDATA_FUZZER"] != nil {
    package.targets.append(.executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], path: "Fuzzing/fuzz"))
}

// SwiftPM compiles the plugin's tool before everything else, also for programs that do not use it. bin/demo names the
// targets of its programs, so that their first result comes sooner.
if let names = Context.environment["OPENCOREDATA_TARGETS"] {
    var needed: Set<String> = []
    var waiting = names.split(separator: ",").map(String.init)
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        for case .targetItem(let name, _) in target.dependencies { waiting.append(name) }
        for case .byNameItem(let name, _) in target.dependencies { waiting.append(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { ($0 as? Product.Executable)?.targets.allSatisfy(needed.contains) != true }
}
