// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Importer",
    traits: [.trait(name: "PostgreSQL", description: "Stores in PostgreSQL databases, by libpq")],
    dependencies: [
        .package(
            name: "OpenCoreData", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
    ],
    targets: [
        .executableTarget(
            name: "importer",
            dependencies: [
                .product(name: "CoreData", package: "OpenCoreData"),
                .product(
                    name: "CoreDataPostgreSQL", package: "OpenCoreData", condition: .when(traits: ["PostgreSQL"])),
            ],
            // Writes the accessors of @NSManaged and compiles Stock.xcdatamodeld into the program's resources.
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")])
    ],
    swiftLanguageModes: [.v6]
)
