// swift-tools-version: 6.2
import PackageDescription

// A package of its own: users of CoreData neither build nor resolve the code that fuzzes it.
let package = Package(
    name: "OpenCoreDataFuzzing",
    dependencies: [.package(name: "OpenCoreData", path: "..")],
    targets: [
        .systemLibrary(
            name: "CFuzzSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(
            name: "FuzzTargets",
            dependencies: ["CFuzzSQLite", .product(name: "CoreData", package: "OpenCoreData")]),
        // libFuzzer has the main function, and calls the two that this program exports.
        .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"]),
        .executableTarget(name: "fuzz-replay", dependencies: ["FuzzTargets"]),
    ],
    swiftLanguageModes: [.v6]
)
