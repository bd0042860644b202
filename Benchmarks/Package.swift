// swift-tools-version: 6.2
import PackageDescription

// A package of its own: users of CoreData neither build nor resolve the benchmarks.
let package = Package(
    name: "OpenCoreDataBenchmarks",
    traits: [
        // As in the package above: a build without the trait does not need the headers of libpq, and `bench postgresql`
        // then prints that it is missing.
        .trait(name: "PostgreSQL", description: "The store in PostgreSQL databases beside libpq"),
        .trait(name: "Studio", description: "How soon the page of coredata studio hears of a save"),
    ],
    dependencies: [
        .package(
            name: "OpenCoreData", path: "..",
            traits: [
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .trait(name: "Studio", condition: .when(traits: ["Studio"])),
            ])
    ],
    targets: [
        .target(name: "CBaseline", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("z")]),
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "CPostgreSQLBaseline",
            dependencies: ["CBaseline", .target(name: "CLibpq", condition: .when(traits: ["PostgreSQL"]))],
            cSettings: [.define("BASELINE_HAS_LIBPQ", .when(traits: ["PostgreSQL"]))]),
        .target(name: "BenchmarkChart"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "BenchmarkChart", "CBaseline", .product(name: "CoreData", package: "OpenCoreData"),
                .target(name: "CPostgreSQLBaseline", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "CoreDataManager", package: "OpenCoreData"),
                .product(
                    name: "CoreDataPostgreSQL", package: "OpenCoreData", condition: .when(traits: ["PostgreSQL"])),
            ]),
        // A program of its own, so that the other benchmarks do not build the macros.
        .executableTarget(
            name: "swiftdata-bench",
            dependencies: [
                "CBaseline", .product(name: "CoreDataManager", package: "OpenCoreData"),
                .product(name: "SwiftData", package: "OpenCoreData"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The services that `bin/bench server` compares: with them every benchmark needs libmicrohttpd and builds the plugin.
if Context.environment["OPENCOREDATA_BENCH_SERVER"] != nil {
    package.dependencies.append(
        .package(
            name: "WebService", path: "../Examples/WebService",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))]))
    package.targets.append(
        .executableTarget(
            name: "c-service",
            dependencies: [
                .target(name: "CLibpq", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "web-service", package: "WebService"),
            ], path: "Sources/CService", cSettings: [.define("SERVICE_HAS_LIBPQ", .when(traits: ["PostgreSQL"]))],
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("microhttpd")]))
}
