import CoreData
import Foundation

/// The models of one repository on both sides of a comparison.
package struct ComparedRepository {
    let repository: GitRepository
    /// The name of the commit to compare with, as the caller gave it.
    let name: String
    /// The full name of the commit.
    let commit: String
    /// The path of a submodule below the root of the whole, with a slash at its end; empty for the whole.
    package let prefix: String
    /// The files in the commit.
    let shipped: GateFiles
    /// The files at the commit at which the branch and the other commit part. Nil if that is the other commit, or if
    /// there is none.
    let fork: GateFiles?
    let tree: GateFiles
    /// The paths of the wanted models below the root; nil for all.
    let paths: [String]?

    /// A model on both sides.
    struct Pair {
        let shipped: GateModel?
        let fork: GateModel?
        let tree: GateModel?
    }

    /// The models in the working tree, and those in the commit that are gone.
    var pairs: [Pair] {
        let entities = SharedEntities()
        let older = GateModel.models(in: shipped, sharing: entities)
        let common = fork.map { GateModel.models(in: $0, sharing: entities) }
        var newer = GateModel.models(in: tree, sharing: entities)
        var result: [Pair] = []
        // Models at their places come first, so that a copy beside one is no renaming of it.
        for (path, model) in older.sorted(by: { $0.key < $1.key }) where newer[path] != nil {
            result.append(Pair(shipped: model, fork: common?[path], tree: newer.removeValue(forKey: path)))
        }
        for (path, model) in older.sorted(by: { $0.key < $1.key }) where tree.contents[path] == nil {
            if result.contains(where: { $0.shipped?.path == path }) { continue }
            // The commit got the model since the branch began.
            if let common, common[path] == nil { continue }
            let partner = newer.values.sorted { $0.path < $1.path }.filter { older[$0.path] == nil }
                .first { Self.isSuccessor($0, of: model) }
            if let partner { newer[partner.path] = nil }
            result.append(Pair(shipped: model, fork: common?[path], tree: partner))
        }
        result += newer.values.sorted { $0.path < $1.path }.map { Pair(shipped: nil, fork: common?[$0.path], tree: $0) }
        return result.filter { isWanted($0.shipped) || isWanted($0.tree) }
    }

    /// Whether a model has taken the place of another one: it was moved, got a bundle around it, or has one of its
    /// versions.
    private static func isSuccessor(_ new: GateModel, of old: GateModel) -> Bool {
        if new.fileName == old.fileName { return true }
        if new.name == old.name, new.fileName == "\(old.fileName)d" { return true }
        return new.versions.contains { version in old.versions.contains { version.hasSameBytes(as: $0) } }
    }

    private func isWanted(_ model: GateModel?) -> Bool {
        guard let model else { return false }
        return isWanted(model.path)
    }

    private func isWanted(_ path: String) -> Bool {
        guard let paths else { return true }
        return paths.contains { $0.isEmpty || path == $0 || path.hasPrefix("\($0)/") || $0.hasPrefix("\(path)/") }
    }

    /// Whether neither side has a wanted model.
    var isEmpty: Bool { pairs.isEmpty && !(tree.links + shipped.links).contains(where: isWanted) }

    // MARK: Sources of programs

    /// The current versions of the wanted models in the working tree, by the names of the models.
    package var currentSources: [(name: String, source: Data)] { Self.currentSources(pairs.map(\.tree)) }

    /// The current versions of the wanted models in the commit.
    package var shippedSources: [(name: String, source: Data)] { Self.currentSources(pairs.map(\.shipped)) }

    private static func currentSources(_ models: [GateModel?]) -> [(name: String, source: Data)] {
        models.compactMap { model in model?.current?.data.map { (model?.name ?? "", $0) } }
    }

    /// The Swift files of the working tree that have one of some texts.
    package func swiftFiles(with marks: [String]) throws -> [(path: String, text: String)] {
        try repository.sources(with: marks).compactMap { path in
            let url = repository.root.appendingPathComponent(path)
            return (try? String(contentsOf: url, encoding: .utf8)).map { (path, $0) }
        }
    }

    /// The texts of files in the commit. One that it does not have is left out.
    package func shippedFiles(at paths: Set<String>) throws -> [(path: String, text: String)] {
        let ids = Dictionary(
            try repository.entries(of: commit).filter { paths.contains($0.path) }.map { ($0.path, $0.id) },
            uniquingKeysWith: { first, _ in first })
        let found = try repository.contents(of: Set(ids.values))
        return ids.sorted { $0.key < $1.key }.compactMap { path, id in
            found[id].map { (path, String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// A migration policy of a program.
    package struct Policy: Hashable {
        /// The path of the mapping model that names it.
        package let path: String
        /// The entity of which it makes objects, or from which it takes them.
        package let entity: String
        /// The class without its module.
        package let name: String
    }

    /// The policies that mapping models of the wanted models name in the working tree, and those in the commit.
    package var policies: (tree: [Policy], shipped: Set<Policy>) {
        (
            Self.policies(of: pairs.compactMap(\.tree), in: tree),
            Set(Self.policies(of: pairs.compactMap(\.shipped), in: shipped))
        )
    }

    private static func policies(of models: [GateModel], in files: GateFiles) -> [Policy] {
        models.flatMap { GateMappings.sources(of: $0, in: files) }.flatMap { source in
            source.content.policies.map { entity, policy in
                Policy(
                    path: source.path, entity: entity, name: policy.split(separator: ".").last.map(String.init) ?? "")
            }
        }
    }

    /// The sources in Swift and Objective-C that have a text, in the working tree.
    package func sources(with text: String) throws -> [(path: String, text: String)] {
        try repository.sources(with: [text], matching: Self.programs).compactMap { path in
            let url = repository.root.appendingPathComponent(path)
            return (try? String(contentsOf: url, encoding: .utf8)).map { (path, $0) }
        }
    }

    /// Those in the commit.
    package func shippedSources(with text: String) throws -> [(path: String, text: String)] {
        try shippedFiles(at: Set(repository.sources(with: [text], matching: Self.programs, in: commit)))
    }

    private static let programs = ["*.swift", "*.m", "*.mm"]

    // MARK: Findings

    typealias Finding = ModelGateReport.Finding

    /// The findings and ways of all wanted models.
    func judge() throws -> (findings: [Finding], ways: [ModelGateReport.Way]) {
        let (torn, conflicts) = try mergeFindings()
        var findings = conflicts + linkFindings() + mappingFindings()
        let skipped = torn.union((tree.links + shipped.links).compactMap(GateModel.bundle))
        var ways: [ModelGateReport.Way] = []
        for pair in pairs {
            if [pair.tree, pair.shipped].contains(where: { skipped.contains($0?.path ?? "") }) { continue }
            guard let shipped = pair.shipped else {
                findings += pair.tree.map(Self.problems) ?? []
                continue
            }
            guard let tree = pair.tree else {
                findings.append(
                    Finding(
                        .deleted, file: shipped.path,
                        message: "The model is gone. Programs do not open stores of it any more.",
                        remedy: "Keep it as long as a program may find such a store: "
                            + "git checkout \(name) -- '\(shipped.path)'."))
                continue
            }
            var comparison = GateComparison(
                base: name, repository: repository, shipped: shipped, fork: pair.fork, tree: tree,
                mappings: GateMappings(shipped: self.shipped, fork: fork, tree: self.tree))
            try comparison.judge()
            findings += comparison.findings
            ways += comparison.ways
        }
        return (findings.map(placed), ways.map { $0.placed(in: prefix) })
    }

    private func placed(_ finding: Finding) -> Finding {
        prefix.isEmpty
            ? finding
            : Finding(
                finding.rule, file: prefix + finding.file, line: finding.line, entity: finding.entity,
                property: finding.property, message: finding.message, remedy: finding.remedy)
    }

    /// The faults of a model that was never shipped.
    private static func problems(of model: GateModel) -> [Finding] {
        let whole = model.problem.map { problem in
            Finding(
                .unreadable, file: model.problemPlace.path, line: model.problemPlace.line,
                message: "The model cannot be read: \(problem.hasSuffix(".") ? problem : problem + ".")",
                remedy: Self.readable)
        }
        return (whole.map { [$0] } ?? []) + model.versions.compactMap(GateComparison.problem)
    }

    static let readable = "A program with it does not build. 'coredata model show' names the place."

    private func mappingFindings() -> [Finding] {
        GateMappings.unreadable(in: tree, besides: shipped).filter { isWanted($0.path) }.map { path, problem in
            Finding(
                .unreadable, file: path,
                message: "The mapping model cannot be read, so no store is migrated by it: \(problem)",
                remedy: "Correct the file, or make it anew in Xcode.")
        }
    }

    private func linkFindings() -> [Finding] {
        let here = tree.links.filter(isWanted).map { ($0, "the working tree") }
        let there = shipped.links.filter { isWanted($0) && !tree.links.contains($0) }.map { ($0, "'\(name)'") }
        return (here + there).map { path, side in
            Finding(
                .link, file: path,
                message:
                    "In \(side) this is a link that leads out of the repository, so no commit has its content, and "
                    + "nothing can be compared.",
                remedy: "Commit the model itself, or run the check in the repository that has it.")
        }
    }

    // MARK: Merges

    /// The conflicts that a merge has left in models, with the paths of these models; and versions that both sides of a
    /// merge in progress have added.
    private func mergeFindings() throws -> (torn: Set<String>, [Finding]) {
        let conflicts = try repository.conflicts().filter { GateFiles.isPart($0.key) && isWanted($0.key) }
        var torn: Set<String> = []
        var findings: [Finding] = []
        for (path, stages) in conflicts.sorted(by: { $0.key < $1.key }) {
            if let model = GateModel.bundle(of: path) ?? (path.hasSuffix(ModelDescription.fileExtension) ? path : nil) {
                torn.insert(model)
            }
            if stages == [2, 3], (path as NSString).lastPathComponent == "contents" {
                findings.append(Self.sameName(path))
            } else {
                findings.append(
                    Finding(
                        .conflict, file: path,
                        message: "A merge is in progress and has left a conflict here. The model is not compared.",
                        remedy: "Resolve it: each side keeps its own version, and a new one has the changes of both."))
            }
        }
        return (torn, findings + (try mergedVersions(except: torn)))
    }

    static func sameName(_ path: String) -> Finding {
        let version = ((path as NSString).deletingLastPathComponent as NSString).lastPathComponent
        let name = (version as NSString).deletingPathExtension
        return Finding(
            .sameName, file: path,
            message: "Two branches added different versions of the name '\(name)'. Stores of one do not fit the other, "
                + "and only one of them is kept.",
            remedy: "Give one of the two versions another name, and make a further version with the changes of both.")
    }

    /// The versions that both sides of a merge have added, where the merge has taken the content of one.
    private func mergedVersions(except torn: Set<String>) throws -> [Finding] {
        guard let other = try repository.commit("MERGE_HEAD"), let head = try repository.commit("HEAD"),
            let fork = try repository.fork(of: head, and: other)
        else { return [] }
        let sides = try [head, other, fork].map { try GateFiles(of: $0, named: "merge", in: repository).contents }
        return sides[0].keys.sorted().compactMap { path in
            guard (path as NSString).lastPathComponent == "contents", isWanted(path), let theirs = sides[1][path],
                sides[2][path] == nil, sides[0][path] != theirs,
                !torn.contains(GateModel.bundle(of: path) ?? "")
            else { return nil }
            // The comparison with the commit finds it where that is one of the two sides.
            return shipped.contents[path] == theirs ? nil : Self.sameName(path)
        }
    }
}

extension ModelGateReport.Way {
    fileprivate func placed(in prefix: String) -> Self {
        .init(model: prefix + model, from: from, to: to, means: means, through: through, mappings: mappings)
    }
}
