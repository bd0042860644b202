// swift-tools-version: 6.0
import PackageDescription

// On a Mac this package needs Apple's framework alone. On Linux OPENCOREDATA names the folder of OpenCoreData, whose
// framework takes its place. Newer compilers would ask for annotations that older interfaces of Apple's do not have, so
// the sources are compiled in the language mode of Swift 5.
#if os(Linux)
let dependencies: [Package.Dependency] = [
    .package(name: "OpenCoreData", path: Context.environment["OPENCOREDATA"] ?? "../..")
]
let framework: [Target.Dependency] = [.product(name: "CoreData", package: "OpenCoreData")]
let plugins: [Target.PluginUsage] = [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]
let otherPlatforms = ["Platform/Apple"]
#else
let dependencies: [Package.Dependency] = []
let framework: [Target.Dependency] = []
let plugins: [Target.PluginUsage] = []
let otherPlatforms = ["Platform/OpenCoreData"]
#endif

let package = Package(
    name: "MacCheck",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "mac-check", targets: ["mac-check"]),
        .library(name: "CoreDataManager", targets: ["CoreDataManager"]),
    ],
    dependencies: dependencies,
    targets: [
        .target(name: "MacCheckKit", dependencies: framework),
        .executableTarget(name: "mac-check", dependencies: ["MacCheckKit"]),
        // The sources of the framework's package that are for both systems: whether a Mac compiles them, and what these
        // tests say there.
        .target(name: "CoreDataManager", dependencies: framework, exclude: otherPlatforms),
        .testTarget(
            name: "ConformanceTests", dependencies: framework,
            resources: [.process("Resources"), .copy("Harbours.xcdatamodeld")], plugins: plugins),
    ],
    swiftLanguageModes: [.v5]
)
