// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "WebService",
    products: [
        .library(name: "WebServer", targets: ["WebServer"]),
        .executable(name: "web-service", targets: ["web-service"]),
    ],
    traits: [.trait(name: "PostgreSQL", description: "Stores in PostgreSQL databases, by libpq")],
    dependencies: [
        .package(
            name: "OpenCoreData", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
    ],
    targets: [
        .systemLibrary(
            name: "CHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        // libmicrohttpd behind Swift types, for other examples, too.
        .target(name: "WebServer", dependencies: ["CHTTPD"]),
        .executableTarget(
            name: "web-service",
            dependencies: [
                "WebServer", .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataManager", package: "OpenCoreData"),
                .product(
                    name: "CoreDataPostgreSQL", package: "OpenCoreData", condition: .when(traits: ["PostgreSQL"])),
            ],
            // Writes the accessors of @NSManaged and compiles both versions of the model.
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
    ],
    swiftLanguageModes: [.v6]
)
