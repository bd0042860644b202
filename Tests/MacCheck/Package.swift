// swift-tools-version: 6.0
import PackageDescription

// On a Mac this package needs Apple's framework alone, and compiles the sources of CoreDataManager with it. On Linux
// OPENCOREDATA names the folder of OpenCoreData, whose products take the place of both: two packages of one build have
// no targets of one name. Newer compilers would ask for annotations that older interfaces of Apple's do not have, so
// the sources are compiled in the language mode of Swift 5.
#if os(Linux)
let dependencies: [Package.Dependency] = [
    .package(name: "OpenCoreData", path: Context.environment["OPENCOREDATA"] ?? "../..")
]
let framework: [Target.Dependency] = [.product(name: "CoreData", package: "OpenCoreData")]
let manager: [Target.Dependency] = [.product(name: "CoreDataManager", package: "OpenCoreData")]
let plugins: [Target.PluginUsage] = [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]
#else
let dependencies: [Package.Dependency] = []
let framework: [Target.Dependency] = []
let manager: [Target.Dependency] = ["CoreDataManager"]
let plugins: [Target.PluginUsage] = []
#endif

let package = Package(
    name: "MacCheck",
    platforms: [.macOS(.v14)],
    products: [.executable(name: "mac-check", targets: ["mac-check"])],
    dependencies: dependencies,
    targets: [
        .target(name: "MacCheckKit", dependencies: framework),
        .executableTarget(name: "mac-check", dependencies: ["MacCheckKit"]),
        // What is for both systems in the framework's package: whether a Mac compiles it, and what its tests say there.
        .testTarget(name: "LaunchTests", dependencies: manager),
        .testTarget(
            name: "ConformanceTests", dependencies: framework,
            resources: [.process("Resources"), .copy("Harbours.xcdatamodeld")], plugins: plugins),
    ],
    swiftLanguageModes: [.v5]
)

#if !os(Linux)
package.products.append(.library(name: "CoreDataManager", targets: ["CoreDataManager"]))
package.targets.append(.target(name: "CoreDataManager", exclude: ["Platform/OpenCoreData"]))
#endif
