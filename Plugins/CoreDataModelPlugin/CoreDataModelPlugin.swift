import Foundation
import PackagePlugin

/// Adds the accessors of its `@NSManaged` declarations, the classes of its models, and the compiled models to a target.
///
/// On Apple's platforms the plugin has no effect, because the Objective-C runtime and Xcode do all of this.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        #if canImport(ObjectiveC)
        return []
        #else
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        return [try command(for: target, context)]
        #endif
    }

    /// Makes the command. The package manager runs the plugin again only when files are added or removed, not when they
    /// change. So the command must be right for any content: sources that get their first `@NSManaged` later share one
    /// output, and each other source has its own.
    private func command(for target: SwiftSourceModuleTarget, _ context: PluginContext) throws -> Command {
        let folder = context.pluginWorkDirectoryURL
        var arguments = [
            "module", target.moduleName, "compiler", try context.tool(named: "swiftc").url.path, "folder", folder.path,
        ]
        var inputs = swiftFiles(of: target)
        var outputs = [
            folder.appending(path: "OtherManagedAccessors.swift"), folder.appending(path: "CoreDataModule.swift"),
        ]
        arguments += ["others", outputs[0].path, "once", outputs[1].path]
        if target.recursiveTargetDependencies.contains(where: { $0.name == "CoreData" }) {
            arguments += ["framework", "CoreData"]
        }
        arguments += target.compilationConditions.flatMap { ["condition", $0] }
        for source in inputs {
            arguments += ["source", source.path]
            guard mentionsManaged(source) else { continue }
            let name = source.deletingPathExtension().lastPathComponent
            outputs.append(folder.appending(path: "\(name)+ManagedAccessors.swift"))
            arguments += ["managed", source.path, outputs[outputs.count - 1].path]
        }
        for model in models(of: target) {
            let name = model.deletingPathExtension().lastPathComponent
            let classes = folder.appending(path: "\(name)+ModelClasses.swift")
            outputs.append(classes)
            arguments += ["model", model.path, classes.path]
            outputs.append(folder.appending(path: "\(name).\(model.pathExtension == "xcdatamodel" ? "mom" : "momd")"))
            arguments += ["bundle", model.path, outputs[outputs.count - 1].path]
            inputs += everything(in: model)
        }
        for mapping in mappingModels(of: target) {
            let name = mapping.deletingPathExtension().lastPathComponent
            outputs.append(folder.appending(path: "\(name).cdm"))
            arguments += ["mapping", mapping.path, outputs[outputs.count - 1].path]
            inputs += everything(in: mapping)
        }
        // Types of properties may belong to other modules, whose sources show the kind of each type.
        for (name, dependency) in dependencies(of: target) {
            arguments += ["dependency", name]
            guard let dependency else { continue }
            let (sources, models) = (swiftFiles(of: dependency), models(of: dependency))
            arguments += sources.flatMap { ["dependency-source", $0.path] }
            arguments += models.flatMap { ["dependency-model", $0.path] }
            inputs += sources + models.flatMap(everything)
        }
        return .buildCommand(
            displayName: "Core Data accessors and classes of \(target.name)",
            executable: try context.tool(named: "coredata-modelc").url, arguments: arguments, inputFiles: inputs,
            outputFiles: outputs)
    }

    private func swiftFiles(of target: SwiftSourceModuleTarget) -> [URL] {
        target.sourceFiles.filter { $0.type == .source && $0.url.pathExtension == "swift" }.map(\.url)
            .sorted { $0.path < $1.path }
    }

    private func mentionsManaged(_ file: URL) -> Bool {
        guard let data = try? Data(contentsOf: file, options: .alwaysMapped) else { return false }
        return data.range(of: Data("@NSManaged".utf8)) != nil
    }

    /// The models of a target, including those that are declared as resources: Xcode compiles these, too, and programs
    /// read the compiled ones in their bundle. The package manager copies the sources besides; the framework uses the
    /// compiled ones.
    private func models(of target: SwiftSourceModuleTarget) -> [URL] {
        files(of: target, ["xcdatamodeld", "xcdatamodel"])
    }

    private func mappingModels(of target: SwiftSourceModuleTarget) -> [URL] { files(of: target, ["xcmappingmodel"]) }

    private func files(of target: SwiftSourceModuleTarget, _ suffixes: Set<String>) -> [URL] {
        target.sourceFiles.map(\.url).filter { suffixes.contains($0.pathExtension) }.sorted { $0.path < $1.path }
    }

    /// The modules that the target can import, with the target if the module is one of Swift. Modules of C are
    /// included, because `canImport` may test them.
    private func dependencies(of target: SwiftSourceModuleTarget) -> [(name: String, target: SwiftSourceModuleTarget?)]
    {
        target.recursiveTargetDependencies.compactMap { dependency in
            switch dependency {
            case let swift as SwiftSourceModuleTarget: swift.moduleName == "CoreData" ? nil : (swift.moduleName, swift)
            case let module as any SourceModuleTarget: (module.moduleName, nil)
            case is SystemLibraryTarget, is BinaryArtifactTarget: (dependency.name, nil)
            default: nil
            }
        }
    }

    /// The model with all folders and files inside, because a new version is a change of a folder.
    private func everything(in model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: model, includingPropertiesForKeys: nil)
        return [model] + (walk?.compactMap { $0 as? URL } ?? []).sorted { $0.path < $1.path }
    }
}
