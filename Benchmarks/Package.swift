// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who uses CoreData neither builds nor resolves the benchmarks.
let package = Package(
    name: "OpenCoreDataBenchmarks",
    dependencies: [
        .package(name: "OpenCoreData", path: "..")
    ],
    targets: [
        .target(name: "CBaseline", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("z")]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CBaseline", .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataManager", package: "OpenCoreData"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
