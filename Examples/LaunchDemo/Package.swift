// swift-tools-version: 6.2
import PackageDescription

// A package of its own: building it compiles the framework once. The root package would compile it a second time, for
// the tool of the plugin that other targets there use.
let package = Package(
    name: "LaunchDemo",
    traits: [.trait(name: "PostgreSQL", description: "The part about stores in PostgreSQL databases, by libpq")],
    dependencies: [
        .package(
            name: "OpenCoreData", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
    ],
    targets: [
        .systemLibrary(
            name: "CMailSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .executableTarget(
            name: "launch-demo",
            dependencies: [
                "CMailSQLite", .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataManager", package: "OpenCoreData"),
                .product(
                    name: "CoreDataPostgreSQL", package: "OpenCoreData", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .executableTarget(name: "swiftdata-demo", dependencies: [.product(name: "SwiftData", package: "OpenCoreData")]),
    ],
    swiftLanguageModes: [.v6]
)
