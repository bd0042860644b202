// swift-tools-version: 6.2
import PackageDescription

// Two programs over one source of models, which an app for iOS may share.
let package = Package(
    name: "Trips",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [.library(name: "TripModels", targets: ["TripModels"])],
    traits: [.trait(name: "PostgreSQL", description: "Stores in PostgreSQL databases, by libpq")],
    dependencies: [
        .package(
            name: "OpenCoreData", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))]),
        .package(name: "WebService", path: "../WebService"),
    ],
    targets: [
        .target(
            name: "TripModels",
            dependencies: [
                .product(name: "SwiftData", package: "OpenCoreData", condition: .when(platforms: [.linux])),
                .product(
                    name: "CoreDataPostgreSQL", package: "OpenCoreData", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .executableTarget(name: "trips", dependencies: ["TripModels"]),
        .executableTarget(
            name: "trip-service", dependencies: ["TripModels", .product(name: "WebServer", package: "WebService")]),
    ],
    swiftLanguageModes: [.v6]
)
