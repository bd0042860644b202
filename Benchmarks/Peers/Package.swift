// swift-tools-version: 6.2
import PackageDescription

// Other libraries that do the works of the benchmark. `bin/bench peers PATH` builds this package and passes the path of
// GRDB's sources; no other build needs them.
guard let grdb = Context.environment["OPENCOREDATA_BENCH_GRDB"] else {
    fatalError("OPENCOREDATA_BENCH_GRDB says where a checkout of GRDB.swift is; bin/bench peers PATH sets it")
}

let package = Package(
    name: "OpenCoreDataPeers",
    dependencies: [.package(name: "GRDB", path: grdb)],
    targets: [
        // Links lead to what measures in the package above, so that both are built alike.
        .target(name: "CBaseline", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("z")]),
        .target(name: "CSnapshots"),
        .executableTarget(
            name: "peers", dependencies: ["CBaseline", "CSnapshots", .product(name: "GRDB", package: "GRDB")]),
    ],
    swiftLanguageModes: [.v6]
)
