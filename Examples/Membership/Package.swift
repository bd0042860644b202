// swift-tools-version: 6.2
import PackageDescription

// One source for iOS, macOS and Linux. On Apple's systems the conditions leave the products out, and the plugin does
// nothing.
let package = Package(
    name: "Membership",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "Membership", targets: ["Membership"])],
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .target(
            name: "Membership",
            dependencies: [
                .product(name: "CoreData", package: "OpenCoreData", condition: .when(platforms: [.linux])),
                .product(name: "OSLogging", package: "OpenCoreData", condition: .when(platforms: [.linux])),
            ],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
        .testTarget(name: "MembershipTests", dependencies: ["Membership"]),
    ]
)
