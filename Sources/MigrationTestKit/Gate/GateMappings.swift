import CoreData
import Foundation

/// The mapping models on the sides of a comparison.
struct GateMappings {
    let shipped: GateFiles
    let fork: GateFiles?
    let tree: GateFiles

    /// A mapping model's file with the names of the bundles and versions that it leads between.
    struct Source {
        let path: String
        let content: MappingModelSource
        let from: (model: String, version: String)?
        let to: (model: String, version: String)?

        /// The name in messages.
        var name: String { ((path as NSString).deletingLastPathComponent as NSString).lastPathComponent }
    }

    private static func paths(in files: GateFiles) -> [String] {
        files.contents.keys.filter { $0.hasSuffix(".xcmappingmodel/xcmapping.xml") }.sorted()
    }

    /// The mapping models of a side that lead between versions of a model. Unreadable files are left out.
    static func sources(of model: GateModel, in files: GateFiles) -> [Source] {
        paths(in: files).compactMap { path in
            guard let data = files.contents[path],
                let content = try? MappingModelSource(data, file: files.prefix + path)
            else { return nil }
            let source = Source(
                path: path, content: content, from: names(in: content.sourceModelPath),
                to: names(in: content.destinationModelPath))
            return [source.from, source.to].contains { $0?.model == model.name } ? source : nil
        }
    }

    /// The bundle and the version that a path in a project ends in.
    private static func names(in path: String?) -> (model: String, version: String)? {
        let parts = (path ?? "").split(separator: "/").map(String.init)
        guard let file = parts.last, file.hasSuffix(".xcdatamodel") else { return nil }
        let version = (file as NSString).deletingPathExtension
        let container = parts.dropLast().last.flatMap { $0.hasSuffix(".xcdatamodeld") ? $0 : nil }
        return ((container as NSString?)?.deletingPathExtension ?? version, version)
    }

    /// The mapping models of the tree that cannot be read and that the commit does not have as they are.
    static func unreadable(in tree: GateFiles, besides shipped: GateFiles) -> [(path: String, problem: String)] {
        paths(in: tree).compactMap { path in
            guard let data = tree.contents[path], shipped.contents[path] != data else { return nil }
            do {
                _ = try MappingModelSource(data, file: tree.prefix + path)
                return nil
            } catch {
                return (path, (error as NSError).localizedFailureReason ?? "\(error)")
            }
        }
    }

    /// Whether the branch has changed a mapping model of a model.
    func changed(of model: GateModel) -> Bool {
        let began = fork ?? shipped
        let all = Set(Self.paths(in: tree)).union(Self.paths(in: began))
        let different = all.filter { tree.contents[$0] != began.contents[$0] }
        if different.isEmpty { return false }
        return [tree, began].contains { side in
            Self.sources(of: model, in: side).contains { different.contains($0.path) }
        }
    }

    /// The mapping models of a side between versions of one model, for migrations.
    static func mappings(of model: GateModel, in files: GateFiles) -> [NSMappingModel] {
        sources(of: model, in: files).compactMap { source in
            guard let old = source.from.flatMap({ model.version($0.version)?.model }),
                let new = source.to.flatMap({ model.version($0.version)?.model }),
                let mapping = try? source.content.mappingModel(from: old, to: new)
            else { return nil }
            mapping.fileName = source.name
            return mapping
        }
    }

    /// The reasons why a mapping model does not fit the versions that it names, or fails with stores of them, in words,
    /// each with its place.
    static func misfits(
        _ source: Source, _ model: GateModel
    ) -> [(entity: String?, property: String?, text: String)] {
        let missing = [source.from, source.to].compactMap { $0 }.filter { $0.model == model.name }
            .map(\.version).filter { model.version($0) == nil }
        if !missing.isEmpty { return missing.map { (nil, nil, "the model has no version '\($0)'") } }
        guard let from = source.from, let to = source.to, let old = model.version(from.version)?.model,
            let new = model.version(to.version)?.model
        else { return [] }
        let misfits = source.content.misfits(old, new)
        if misfits.isEmpty {
            return source.content.faults(from: old, to: new).map { ($0.entity, $0.property, $0.text) }
        }
        return misfits.map { misfit in
            switch misfit {
            case .missingSource(let entity): (entity, nil, "'\(from.version)' has no entity \(entity)")
            case .missing(let entity, nil): (entity, nil, "'\(to.version)' has no entity \(entity)")
            case .missing(let entity, let property?):
                (entity, property, "\(entity) of '\(to.version)' has no \(property)")
            case .leftOut(let entity, let property?):
                (entity, property, "it has no entry for \(entity).\(property)")
            case .leftOut(let entity, nil): (entity, nil, "it has no entry for \(entity)")
            }
        }
    }
}

extension GateComparison {
    /// Mapping models that do not fit their versions any more.
    mutating func checkMappings() {
        let before = GateMappings.sources(of: shipped, in: mappings.shipped)
        for source in GateMappings.sources(of: tree, in: mappings.tree) {
            let misfits = GateMappings.misfits(source, tree)
            guard let first = misfits.first else { continue }
            let former = before.first { $0.path == source.path }
            if let former {
                let known = Set(GateMappings.misfits(former, shipped).map(\.text))
                if misfits.allSatisfy({ known.contains($0.text) }) { continue }
            }
            let list = misfits.prefix(3).map(\.text) + (misfits.count > 3 ? ["\(misfits.count - 3) more"] : [])
            findings.append(
                Finding(
                    .mapping, file: source.path, entity: first.entity, property: first.property,
                    message:
                        "The mapping model from '\(source.from?.version ?? "?")' to '\(source.to?.version ?? "?")' "
                        + "does not fit its versions: \(list.joined(separator: "; ")). A migration by it fails, or leaves "
                        + "values behind.",
                    remedy: "Correct the mapping model, or make a new one for the two versions."))
        }
    }
}
