// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MyHome",
    targets: [
        .target(
            name: "MyHome",
            path: "MyHomeApp",
            sources: [
                "Persistence", "Support/AccountBalance.swift",
            ]
        ),
        .testTarget(
            name: "MyHomeTests",
            dependencies: ["MyHome"],
            path: "MyHomeTests",
            sources: [
                "MigrationTests.swift", "SchemaV6MigrationTests.swift", "SchemaV7MigrationTests.swift",
                "SchemaV8MigrationTests.swift", "SchemaV9MigrationTests.swift", "SchemaV10MigrationTests.swift",
                "SchemaV11MigrationTests.swift",
            ],
            resources: [.process("Resources")]
        ),
    ]
)
