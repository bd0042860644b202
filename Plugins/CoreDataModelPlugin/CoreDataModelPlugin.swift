import Foundation
import PackagePlugin

/// Gives a target the accessors of its `@NSManaged` declarations, the classes of its models, and the models compiled.
///
/// On Apple's platforms it does nothing: there the Objective-C runtime and Xcode do all of it.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        #if canImport(ObjectiveC)
            return []
        #else
            guard let target = target as? SwiftSourceModuleTarget else { return [] }
            return try command(for: target, context).map { [$0] } ?? []
        #endif
    }

    private func command(for target: SwiftSourceModuleTarget, _ context: PluginContext) throws -> Command? {
        let folder = context.pluginWorkDirectoryURL
        let sources = swiftFiles(of: target)
        let managed = sources.filter(mentionsManaged).map { source in
            let name = source.deletingPathExtension().lastPathComponent
            return Job.Source(
                input: source.path, output: folder.appending(path: "\(name)+ManagedAccessors.swift").path)
        }
        let models = models(of: target, folder)
        guard !managed.isEmpty || !models.isEmpty else { return nil }
        // Types of properties may come from other modules: their sources say what kind of type a name is.
        let dependencies = managed.isEmpty ? [] : dependencies(of: target)
        let job = Job(
            module: target.moduleName, compiler: try context.tool(named: "swiftc").url.path,
            conditions: target.compilationConditions, sources: sources.map(\.path), managed: managed, models: models,
            dependencies: dependencies, folder: folder.path)
        let file = folder.appending(path: "job.json")
        try write(job, to: file)
        let inputs =
            sources + dependencies.flatMap(\.sources).map { URL(fileURLWithPath: $0) }
            + (models.map(\.input) + dependencies.flatMap(\.models)).flatMap { filesInside(URL(fileURLWithPath: $0)) }
        let outputs = managed.map(\.output) + models.map(\.classes) + models.compactMap(\.bundle)
        return .buildCommand(
            displayName: "Core Data accessors and classes of \(target.name)",
            executable: try context.tool(named: "coredata-modelc").url, arguments: [file.path],
            inputFiles: inputs + [file], outputFiles: outputs.map { URL(fileURLWithPath: $0) })
    }

    private func swiftFiles(of target: SwiftSourceModuleTarget) -> [URL] {
        target.sourceFiles.filter { $0.type == .source && $0.url.pathExtension == "swift" }.map(\.url)
            .sorted { $0.path < $1.path }
    }

    private func mentionsManaged(_ file: URL) -> Bool {
        guard let data = try? Data(contentsOf: file, options: .alwaysMapped) else { return false }
        return data.range(of: Data("@NSManaged".utf8)) != nil
    }

    private func models(of target: SwiftSourceModuleTarget, _ folder: URL) -> [Job.Model] {
        modelFiles(of: target).map { file in
            let name = file.url.deletingPathExtension().lastPathComponent
            return Job.Model(
                input: file.url.path, classes: folder.appending(path: "\(name)+ModelClasses.swift").path,
                bundle: file.type == .resource ? nil : folder.appending(path: "\(name).momd").path)
        }
    }

    private func modelFiles(of target: SwiftSourceModuleTarget) -> [File] {
        target.sourceFiles.filter { ["xcdatamodeld", "xcdatamodel"].contains($0.url.pathExtension) }
            .sorted { $0.url.path < $1.url.path }
    }

    private func dependencies(of target: SwiftSourceModuleTarget) -> [Job.Dependency] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.moduleName != "CoreData" }
            .map { target in
                Job.Dependency(
                    module: target.moduleName, sources: swiftFiles(of: target).map(\.path),
                    models: modelFiles(of: target).map(\.url.path))
            }
    }

    private func filesInside(_ model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: model, includingPropertiesForKeys: [.isRegularFileKey])
        return (walk?.compactMap { $0 as? URL } ?? [])
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .sorted { $0.path < $1.path }
    }

    /// A job that is the same as last time is left alone: its file is an input of the build.
    private func write(_ job: Job, to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let data = try encoder.encode(job)
        if let present = try? Data(contentsOf: file), present == data { return }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }
}

/// What the tool reads: its `Job`, as a plugin cannot import a library.
private struct Job: Encodable {
    struct Source: Encodable {
        let input: String
        let output: String
    }

    struct Model: Encodable {
        let input: String
        let classes: String
        let bundle: String?
    }

    struct Dependency: Encodable {
        let module: String
        let sources: [String]
        let models: [String]
    }

    let module: String
    let compiler: String
    let conditions: [String]
    let sources: [String]
    let managed: [Source]
    let models: [Model]
    let dependencies: [Dependency]
    let folder: String
}
