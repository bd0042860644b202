// Implementation notes: Gate.
//
// - `GateFiles` has the files of models on one side: in REF, at the fork, or in the working tree. `GitRepository` reads
//   commits by `ls-tree` and one `cat-file --batch`, so that nothing is checked out.
// - The fork is the commit at which the branch and REF part. A version that REF got later is no deletion of the branch,
//   and one that both have since is a name given twice.
// - `GateComparison` compares the versions of one model. It judges the migration of every shipped version to the
//   current one by `MigrationVerdict`, which needs no store. What was true in REF as well is no finding.
// - A version is parsed only if its bytes matter: a model that is equal on both sides costs no parsing. Versions are
//   parsed on several threads, and so are chains judged. Versions share the elements of equal entities
//   (`SharedEntities`). An error or a line is found in the version's own tree.

import CoreData
import Foundation

/// Compares the models of a working tree with a commit of git, and finds the changes that harm stores in use.
///
/// A version of a model is shipped if the commit has it. The gate finds shipped versions that were edited, deleted or
/// renamed, changes without a new version, and migrations that are not possible or lose values.
/// `coredata model check` prints the findings of the same gate.
///
/// ```swift
/// @Test func models() throws {
///     let report = try ModelGate(repository: URL(fileURLWithPath: "."), base: "origin/main").check()
///     #expect(report.isClean, "\(report)")
/// }
/// ```
///
/// For a model in code, let the test write its description first (`writeDescription(to:after:)` of
/// `NSManagedObjectModel`). The gate compares the file `NAME.modeldescription` with the one in the commit.
public struct ModelGate {
    /// A folder of the repository.
    public var repository: URL
    /// The commit to compare with: the name of a branch or a tag, or another name that git knows.
    public var base: String
    /// The models to compare: bundles, single models, descriptions, or folders with some. Empty for all models of the
    /// repository and its submodules.
    public var models: [URL] = []
    /// Findings that are wanted: the name of a rule, such as `"loss"`, or a rule with a place, such as
    /// `"loss:Book.subtitle"`.
    public var allowed: Set<String> = []

    /// Makes a gate.
    ///
    /// - Parameters:
    ///   - repository: A folder of the repository.
    ///   - base: The commit to compare with.
    public init(repository: URL, base: String) { (self.repository, self.base) = (repository, base) }

    /// Compares the working tree with the commit. Any thread may call the function.
    ///
    /// - Returns: The findings. A model that cannot be read is a finding, too.
    /// - Throws: ``ModelGateError`` if there is no repository, if it does not have the commit, or if a clone has too
    ///   little history.
    public func check() throws -> ModelGateReport {
        let (report, _) = try compare()
        return report
    }

    /// The report, and the compared repositories: that of the folder, and its submodules.
    package func compare() throws -> (ModelGateReport, [ComparedRepository]) {
        let repository = try GitRepository(containing: repository)
        guard let commit = try repository.commit(base) else { throw Self.missing(base, in: repository) }
        guard let head = try repository.commit("HEAD") else {
            throw ModelGateError("\(repository.root.path) has no commit yet", help: "")
        }
        let fork = try commit == head ? commit : repository.fork(of: head, and: commit)
        if fork == nil, repository.isShallow {
            throw ModelGateError(
                "\(repository.root.path) is a shallow clone, whose history does not reach the commit at which HEAD and "
                    + "'\(base)' part", help: Self.deepen)
        }
        var report = ModelGateReport()
        var compared: [ComparedRepository] = []
        let paths = try wanted(in: repository)
        try compare(repository, at: "", commit, fork: fork, paths: paths, to: &report, with: &compared)
        if compared.allSatisfy(\.isEmpty), !models.isEmpty {
            throw ModelGateError(
                "\(models[0].path): neither the working tree nor '\(base)' has a model there", help: "")
        }
        report.allow(allowed)
        report.add([])
        return (report, compared)
    }

    private static let deepen =
        "Fetch the history: 'git fetch --unshallow', or 'fetch-depth: 0' for the check-out of a workflow."

    private static func missing(_ name: String, in repository: GitRepository) -> ModelGateError {
        repository.isShallow
            ? ModelGateError(
                "\(repository.root.path) does not have '\(name)', and is a shallow clone", help: deepen)
            : ModelGateError(
                "\(repository.root.path) does not have '\(name)'",
                help: "Name a branch, a tag or a commit. 'git fetch origin' brings the branches of a server.")
    }

    /// The paths of the wanted models below the root; nil for all.
    private func wanted(in repository: GitRepository) throws -> [String]? {
        if models.isEmpty { return nil }
        return try models.map { model in
            if let path = Self.path(of: model, below: repository.root) { return path }
            throw ModelGateError(
                "\(model.path) is outside of \(repository.root.path)",
                help: "Name the other repository, or run the check there.")
        }
    }

    // MARK: One repository, and its submodules

    private func compare(
        _ repository: GitRepository, at prefix: String, _ commit: String, fork: String?, paths: [String]?,
        to report: inout ModelGateReport, with compared: inout [ComparedRepository]
    ) throws {
        let name = base
        let shipped = try GateFiles(of: commit, named: name, in: repository)
        let comparison = ComparedRepository(
            repository: repository, name: name, commit: commit, prefix: prefix, shipped: shipped,
            fork: try fork == commit ? nil : fork.map { try GateFiles(of: $0, named: "fork", in: repository) },
            tree: try GateFiles(ofTreeOf: repository), paths: paths)
        let (findings, ways) = try comparison.judge()
        report.findings += findings
        report.ways += ways
        compared.append(comparison)
        for (path, id) in shipped.submodules.sorted(by: { $0.key < $1.key }) {
            try compareSubmodule(path, id, of: comparison, to: &report, with: &compared)
        }
    }

    private func compareSubmodule(
        _ path: String, _ id: String, of parent: ComparedRepository, to report: inout ModelGateReport,
        with compared: inout [ComparedRepository]
    ) throws {
        let within = parent.paths.map { paths in
            paths.filter { $0.hasPrefix(path + "/") }.map { String($0.dropFirst(path.count + 1)) }
                + (paths.contains { path == $0 || path.hasPrefix($0 + "/") || $0.isEmpty } ? [""] : [])
        }
        if within?.isEmpty == true { return }
        let folder = parent.repository.root.appendingPathComponent(path)
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(".git").path) else {
            if try parent.repository.hasSubmodule(path) {
                report.notes.append("the submodule '\(path)' is not checked out, so its models were not compared")
            } else {
                report.findings.append(
                    .init(
                        .deleted, file: parent.prefix + path,
                        message: "The submodule is gone, and with it the models that it has in '\(parent.name)'. If a "
                            + "program had one of them, it does not open stores of it any more.",
                        remedy: "If no program had a model of it, allow the finding: --allow deleted."))
            }
            return
        }
        let repository = try GitRepository(containing: folder)
        guard try repository.commit(id) != nil else {
            throw ModelGateError(
                "the submodule '\(path)' does not have \(id.prefix(12)), which is its commit in '\(parent.name)'",
                help: "Fetch it: 'git -C \(path) fetch'" + (repository.isShallow ? " --unshallow." : "."))
        }
        let fork = try parent.fork?.submodules[path].flatMap { try repository.commit($0) }
        try compare(
            repository, at: "\(parent.prefix)\(path)/", id, fork: fork ?? id,
            paths: within?.contains("") == true ? nil : within, to: &report, with: &compared)
    }
}

extension ModelGate {
    /// The root of the working tree that has a folder; nil if none has.
    package static func root(of folder: URL) -> URL? { try? GitRepository(containing: folder).root }

    /// Whether a file or a folder is in a working tree, whether it is there or not.
    package static func contains(_ root: URL, _ file: URL) -> Bool { path(of: file, below: root) != nil }

    /// The path of a file below a root; nil if it is elsewhere. The file may be gone, and its folder as well.
    private static func path(of file: URL, below root: URL) -> String? {
        let root = root.resolvingSymlinksInPath().path
        let folder = file.deletingLastPathComponent().standardizedFileURL.resolvingSymlinksInPath()
        let path = folder.appendingPathComponent(file.lastPathComponent).resolvingSymlinksInPath().path
        if path == root { return "" }
        return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : nil
    }
}
