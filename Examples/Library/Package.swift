// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Library",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        // Classes written by hand with @NSManaged; their model is in another target.
        .target(
            name: "Shelves",
            dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
        // A model with classes generated, extended and written by hand.
        .target(
            name: "Catalogue",
            dependencies: ["Shelves", .product(name: "CoreData", package: "OpenCoreData")],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
        .executableTarget(name: "library", dependencies: ["Catalogue", "Shelves"]),
    ]
)
