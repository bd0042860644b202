// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "GtkLaunch",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .executableTarget(
            name: "gtk-launch",
            dependencies: [
                "CGtk", .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataManager", package: "OpenCoreData"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
