// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Contacts",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .executableTarget(
            name: "contacts",
            dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
            // There is no model file; the plugin writes the accessors of @NSManaged.
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")])
    ]
)
