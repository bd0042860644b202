// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Desktop",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .executableTarget(
            name: "address-book",
            dependencies: [
                "CGtk", .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataManager", package: "OpenCoreData"),
            ],
            // Writes the accessors of @NSManaged, and compiles both versions of the model into the resources.
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
    ],
    swiftLanguageModes: [.v6]
)
