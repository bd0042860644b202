// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MHPlatform",
    products: [.library(name: "MHPlatformCore", targets: ["MHPlatformCore"])],
    targets: [
        .target(
            name: "MHPlatformCore",
            dependencies: [
                "MHDeepLinking", "MHLogging", "MHNotificationPlans", "MHNotificationPayloads", "MHRouteExecution",
                "MHPersistenceMaintenance", "MHPreferences",
            ]
        ),
        .target(name: "MHDeepLinking"),
        .target(name: "MHLogging"),
        .target(name: "MHNotificationPlans"),
        .target(name: "MHNotificationPayloads", dependencies: ["MHDeepLinking"]),
        .target(name: "MHRouteExecution", dependencies: ["MHDeepLinking", "MHLogging"]),
        .target(name: "MHPersistenceMaintenance"),
        .target(name: "MHPreferences"),
    ]
)
