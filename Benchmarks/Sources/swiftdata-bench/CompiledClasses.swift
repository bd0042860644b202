import Foundation

/// Classes of ten properties, as models or as observable classes. They are compiled against the modules beside this
/// program.
struct CompiledClasses {
    let classes: Int
    let folder: URL

    /// Writes the classes of both kinds.
    init(classes: Int, in folder: URL) throws {
        self.classes = classes
        self.folder = folder
        for side in Side.allCases {
            let files = folder.appendingPathComponent(side.rawValue)
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for number in 0..<classes {
                try Data(Self.source(number, side).utf8).write(to: files.appendingPathComponent("Item\(number).swift"))
            }
        }
    }

    private static func source(_ number: Int, _ side: Side) -> String {
        let (module, attribute) = side == .models ? ("SwiftData", "@Model") : ("Observation", "@Observable")
        return """
            import Foundation
            import \(module)

            \(attribute) final class Item\(number) {
                var name: String
                var number: Int
                var date: Date
                var amount: Double
                var isOpen: Bool
                var note: String?
                var size: Int64 = 0
                var rating: Float = 0
                var identity = UUID()
                var parent: Item\(number)?

                init(name: String, number: Int, date: Date, amount: Double, isOpen: Bool) {
                    self.name = name
                    self.number = number
                    self.date = date
                    self.amount = amount
                    self.isOpen = isOpen
                }
            }
            """
    }

    /// The processor time of a debug compilation, with all processes that the compiler starts.
    func compile(_ side: Side) throws -> Double {
        let binaries = ChildProcess.executable.deletingLastPathComponent()
        let files = folder.appendingPathComponent(side.rawValue)
        let object = files.appendingPathComponent("all.o")
        var arguments = [
            "swiftc", "-c", "-Onone", "-wmo", "-module-name", "Items", "-parse-as-library", "-swift-version", "6",
            "-o", object.path,
        ]
        if side == .models {
            arguments += [
                "-I", binaries.appendingPathComponent("Modules").path, "-load-plugin-executable",
                binaries.appendingPathComponent("SwiftDataMacros-tool").path + "#SwiftDataMacros",
            ]
            for map in Self.moduleMaps { arguments += ["-Xcc", "-fmodule-map-file=\(map)"] }
        }
        arguments += (0..<classes).map { files.appendingPathComponent("Item\($0).swift").path }
        let start = Self.cpuSecondsOfChildren
        _ = try ChildProcess.output(of: ChildProcess.env, arguments)
        guard FileManager.default.fileExists(atPath: object.path) else {
            throw BenchmarkFailure(description: "the compiler has written nothing")
        }
        try FileManager.default.removeItem(at: object)
        return Self.cpuSecondsOfChildren - start
    }

    /// The module maps of the libraries that the framework uses.
    private static var moduleMaps: [String] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
        let modules = (try? FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)) ?? []
        return modules.map { $0.appendingPathComponent("module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }.sorted()
    }

    private static var cpuSecondsOfChildren: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
