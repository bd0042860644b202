import CoreData
import TestSupport
import Testing

@testable import CoreDataModelCompiler

/// A module as the plugin would see it: sources and models in a folder, the job done on them.
struct SampleModule {
    let name: String
    let folder: TemporaryFolder
    private var sources: [String] = []
    private var model: String?
    var dependencies: [SampleModule] = []
    var conditions: [String] = []
    /// Files that had no `@NSManaged` when the plugin planned the build.
    var unplanned: Set<String> = []

    /// Copies a target's folder: its Swift files, and the model of the module's name.
    init(_ name: String, readingFrom target: URL) throws {
        var files: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: target.path) where file.hasSuffix(".swift") {
            files[file] = try String(contentsOf: target.appendingPathComponent(file), encoding: .utf8)
        }
        let contents = target.appendingPathComponent("\(name).xcdatamodeld/\(name).xcdatamodel/contents")
        try self.init(name, files, contents: try? String(contentsOf: contents, encoding: .utf8))
    }

    init(_ name: String, _ files: [String: String], model entities: String? = nil) throws {
        try self.init(name, files, contents: entities.map { "<model>\($0)</model>" })
    }

    private init(_ name: String, _ files: [String: String], contents: String?) throws {
        self.name = name
        folder = try TemporaryFolder()
        for (file, text) in files.sorted(by: { $0.key < $1.key }) {
            let url = folder.url.appendingPathComponent(file)
            try Data(text.utf8).write(to: url)
            sources.append(url.path)
        }
        guard let contents else { return }
        let version = folder.url.appendingPathComponent("\(name).xcdatamodeld/\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
        model = folder.url.appendingPathComponent("\(name).xcdatamodeld").path
    }

    var output: URL { folder.url.appendingPathComponent("generated") }
    var bundle: URL { output.appendingPathComponent("\(name).momd") }
    private var others: String { output.appendingPathComponent("OtherManagedAccessors.swift").path }
    private var once: String { output.appendingPathComponent("CoreDataModule.swift").path }
    private var classes: String { output.appendingPathComponent("\(name)+ModelClasses.swift").path }

    private func accessors(of source: String) -> String {
        let file = URL(fileURLWithPath: source).deletingPathExtension().lastPathComponent
        return output.appendingPathComponent("\(file)+ManagedAccessors.swift").path
    }

    /// Everything the module is compiled from, once the job is done.
    var compiledFiles: [String] {
        sources + sources.filter(isPlanned).map { accessors(of: $0) } + [others, once] + (model == nil ? [] : [classes])
    }

    private func isPlanned(_ source: String) -> Bool {
        !unplanned.contains(URL(fileURLWithPath: source).lastPathComponent)
    }

    /// The accessors of a source file.
    func accessors(ofFile name: String) throws -> String {
        try String(contentsOfFile: accessors(of: folder.url.appendingPathComponent(name).path), encoding: .utf8)
    }

    /// The accessors of all files without an output of their own.
    func otherAccessors() throws -> String { try String(contentsOfFile: others, encoding: .utf8) }

    /// The part that is there once in the module.
    func moduleText() throws -> String { try String(contentsOfFile: once, encoding: .utf8) }

    /// The output generated from the model.
    func generatedClasses() throws -> String { try String(contentsOfFile: classes, encoding: .utf8) }

    /// Does the plugin's job, and returns its warnings.
    @discardableResult
    func run(compiler: String? = nil) throws -> [String] {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        var arguments = [
            "module", name, "compiler", try compiler ?? #require(Toolchain.program("swiftc")), "folder", output.path,
            "others", others, "once", once,
        ]
        arguments += conditions.flatMap { ["condition", $0] } + sources.flatMap { ["source", $0] }
        for source in sources where isPlanned(source) {
            arguments += ["managed", source, accessors(of: source)]
        }
        if let model { arguments += ["model", model, classes, "bundle", model, bundle.path] }
        for dependency in dependencies {
            arguments += ["dependency", dependency.name]
            arguments += dependency.sources.flatMap { ["dependency-source", $0] }
            if let model = dependency.model { arguments += ["dependency-model", model] }
        }
        let warnings = Locked<[String]>([])
        try Job(arguments: arguments).run { warning in warnings.withLock { $0.append("\(warning)") } }
        return warnings.withLock { $0 }
    }
}
