import Foundation

/// Measures what the plugin costs a package of a hundred classes: built from clean, and built again when nothing
/// changed.
struct PluginReport {
    let classes: Int
    let rounds: Int

    /// How many times the processor time of a clean build without the plugin one with it may take.
    static let cleanBar = 1.4
    /// Seconds that a build of a hundred classes may take longer with the plugin when nothing changed.
    static let secondsBar = 1.0

    /// - Returns: whether the bars hold.
    func run() throws -> Bool {
        let with = GeneratedPackage(classes: classes, usesPlugin: true)
        let without = GeneratedPackage(classes: classes, usesPlugin: false)
        var rows = [["\(classes) classes", "without the plugin", "with it", "difference", "ratio", "bar", "verdict"]]

        var clean: [Bool: BuildTime] = [:]
        for package in [without, with] {
            try package.write()
            clean[package.usesPlugin] = try package.build()
            // Once more, so that what the first build leaves to the second is not measured.
            _ = try package.build()
        }
        var holds = true
        if let plain = clean[false], let full = clean[true] {
            // The time by the clock depends more on the other work of the machine.
            holds = full.cpuSeconds <= Self.cleanBar * plain.cpuSeconds
            rows.append(row("from clean, s", plain.seconds, full.seconds))
            rows.append(
                row(
                    "from clean, s of CPU time", plain.cpuSeconds, full.cpuSeconds,
                    bar: "× \(Self.cleanBar.printed(1))", holds: holds))
        }

        var idle: [Bool: [BuildTime]] = [:]
        for _ in 1...rounds {
            for package in [without, with].shuffled() {
                idle[package.usesPlugin, default: []].append(try package.build())
            }
        }
        let plain = idle[false] ?? []
        let full = idle[true] ?? []
        let (plainSeconds, fullSeconds) = (plain.map(\.seconds).median, full.map(\.seconds).median)
        let isQuick = fullSeconds - plainSeconds < Self.secondsBar
        rows.append(
            row(
                "nothing changed, s", plainSeconds, fullSeconds, bar: "+ \(Self.secondsBar.printed(1)) s",
                holds: isQuick))
        rows.append(
            row("nothing changed, s of CPU time", plain.map(\.cpuSeconds).median, full.map(\.cpuSeconds).median))
        print("debug builds, \(rounds) rounds, medians\n")
        printTable(rows)
        return holds && isQuick
    }

    private func row(
        _ title: String, _ plain: Double, _ full: Double, bar: String? = nil, holds: Bool = true
    ) -> [String] {
        [
            title, plain.printed(2), full.printed(2), (full - plain).printed(2), (full / plain).printed(2),
            bar ?? "none", bar == nil ? "" : holds ? "holds" : "BROKEN",
        ]
    }
}

/// What a build took.
struct BuildTime {
    let seconds: Double
    /// Of all processes it started.
    let cpuSeconds: Double
}

/// A package of managed classes beside the benchmarks, with `@NSManaged` properties or the same ones stored.
struct GeneratedPackage {
    let classes: Int
    let usesPlugin: Bool

    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private var folder: URL {
        Self.repository.appendingPathComponent("Benchmarks/.build/generated/\(usesPlugin ? "with" : "without")-plugin")
    }

    /// Writes the package into an empty folder.
    func write() throws {
        try? FileManager.default.removeItem(at: folder)
        let plugins = usesPlugin ? ", plugins: [.plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")]" : ""
        try write(
            "Package.swift",
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "Many",
                dependencies: [.package(name: "OpenCoreData", path: "\(Self.repository.path)")],
                targets: [
                    .target(
                        name: "Many", dependencies: [.product(name: "CoreData", package: "OpenCoreData")]\(plugins))
                ])
            """)
        for number in 0..<classes { try write("Sources/Many/Item\(number).swift", source(number)) }
        guard usesPlugin else { return }
        let entities = (0..<classes).map(entity).joined()
        try write("Sources/Many/Many.xcdatamodeld/Many.xcdatamodel/contents", "<model>\(entities)</model>")
    }

    private func source(_ number: Int) -> String {
        let word = usesPlugin ? "@NSManaged " : ""
        let (nothing, none) = usesPlugin ? ("", "") : (" = 0", " = nil")
        return """
            import CoreData
            public class Item\(number): NSManagedObject {
                \(word)public var name: String?\(none)
                \(word)public var number: Int64\(nothing)
                \(word)public var date: Date?\(none)
                \(word)public var amount: Double\(nothing)
                \(word)public var parent: Item\(number)?\(none)
            }
            """
    }

    private func entity(_ number: Int) -> String {
        """
        <entity name="Item\(number)" representedClassName=".Item\(number)">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="number" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
        <attribute name="date" optional="YES" attributeType="Date"/>
        <attribute name="amount" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        <relationship name="parent" optional="YES" maxCount="1" destinationEntity="Item\(number)"/></entity>
        """
    }

    private func write(_ path: String, _ text: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Builds the package, and returns the time that it took.
    func build() throws -> BuildTime {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "build", "--package-path", folder.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let cpu = Self.cpuSecondsOfChildren()
        let start = DispatchTime.now()
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure(description: "the build failed: \(String(decoding: text, as: UTF8.self))")
        }
        return BuildTime(
            seconds: Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9,
            cpuSeconds: Self.cpuSecondsOfChildren() - cpu)
    }

    private static func cpuSecondsOfChildren() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
