// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Notes",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .executableTarget(
            name: "notes",
            dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
            // Writes the accessors of @NSManaged and compiles Notes.xcdatamodeld into the program's resources.
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")])
    ]
)
