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
            return [try command(for: target, context)]
        #endif
    }

    /// The package manager asks again only when files come or go, not when they change. So what this returns must hold
    /// for any content: sources that get their first `@NSManaged` later share one output, the others have one each.
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
        // Types of properties may come from other modules: their sources say what kind of type a name is.
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

    /// Those that are declared as resources are among them: Xcode compiles these, too, and programs ask their bundle
    /// for what comes of it. The package manager copies the sources besides; the framework goes by the compiled ones.
    private func models(of target: SwiftSourceModuleTarget) -> [URL] {
        files(of: target, ["xcdatamodeld", "xcdatamodel"])
    }

    private func mappingModels(of target: SwiftSourceModuleTarget) -> [URL] { files(of: target, ["xcmappingmodel"]) }

    private func files(of target: SwiftSourceModuleTarget, _ suffixes: Set<String>) -> [URL] {
        target.sourceFiles.map(\.url).filter { suffixes.contains($0.pathExtension) }.sorted { $0.path < $1.path }
    }

    /// The modules that the target can import, with the target where that is one of Swift. `canImport` is asked for
    /// modules of C as well.
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

    /// The model with all folders and files inside: a new version is a change of a folder.
    private func everything(in model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: model, includingPropertiesForKeys: nil)
        return [model] + (walk?.compactMap { $0 as? URL } ?? []).sorted { $0.path < $1.path }
    }
}
