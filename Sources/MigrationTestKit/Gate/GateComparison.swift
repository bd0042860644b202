import CoreData
import Foundation

/// Compares the versions of one model in the working tree with those that a commit has.
struct GateComparison {
    typealias Finding = ModelGateReport.Finding

    /// The name of the commit.
    let base: String
    let repository: GitRepository
    let shipped: GateModel
    /// The model at the commit at which the branch began, if that is another commit.
    let fork: GateModel?
    let tree: GateModel
    let mappings: GateMappings
    var findings: [Finding] = []
    var ways: [ModelGateReport.Way] = []
    /// The names of shipped versions that the tree has otherwise.
    private var changed: Set<String> = []
    /// The names of versions that the commit does not have under any name.
    private var added: [GateVersion] = []

    init(
        base: String, repository: GitRepository, shipped: GateModel, fork: GateModel?, tree: GateModel,
        mappings: GateMappings
    ) {
        (self.base, self.repository, self.tree, self.mappings) = (base, repository, tree, mappings)
        let shared = shipped.sharing(tree)
        self.shipped = shared
        self.fork = fork?.sharing(tree).sharing(shared)
    }

    /// Whether the branch has the model as it began with it.
    private var isUntouched: Bool {
        let began = fork ?? shipped
        return began.path == tree.path && began.currentName == tree.currentName && began.problem == tree.problem
            && began.versions.count == tree.versions.count
            && began.versions.allSatisfy { version in
                tree.version(version.name).map { $0.hasSameBytes(as: version) } ?? false
            } && !mappings.changed(of: tree)
    }

    /// Makes all findings.
    mutating func judge() throws {
        if isUntouched { return }
        readAll()
        if let problem = tree.problem, problem != shipped.problem {
            findings.append(
                Finding(
                    .unreadable, file: tree.problemPlace.path, line: tree.problemPlace.line,
                    message: "The model cannot be read: \(problem.hasSuffix(".") ? problem : problem + ".")",
                    remedy: ComparedRepository.readable))
        }
        checkBundle()
        checkReading()
        checkShippedVersions()
        try checkCurrent()
        checkMappings()
        guard let current = tree.current, current.model != nil else { return }
        checkCloudKit(current)
        checkDerivations(current)
        // What an edited version does to stores cannot be said: there are stores of two versions with one name.
        if changed.contains(current.name) || findings.contains(where: { $0.rule == .setBack }) { return }
        checkChains(to: current)
        checkEqualHash(of: current)
    }

    /// Parses all versions at once, on several threads.
    private func readAll() {
        let all = tree.versions + shipped.versions.filter { version in tree.version(version.name) !== version }
        DispatchQueue.concurrentPerform(iterations: all.count) { number in
            _ = all[number].checksum
        }
    }

    // MARK: Files

    /// A model that has another name than before.
    private mutating func checkBundle() {
        if shipped.name == tree.name { return }
        findings.append(
            Finding(
                .renamed, file: tree.path,
                message:
                    "The model '\(shipped.name)' is called '\(tree.name)' now. A program that loads it by its name "
                    + "does not find it, and a container of the new name opens an empty store beside the one in use.",
                remedy: "Keep the name. The store's file is named after the container, not after the model."))
    }

    /// A version that cannot be read.
    static func problem(of version: GateVersion) -> Finding? {
        version.problem.map { problem in
            Finding(
                .unreadable, file: version.path, line: line(in: problem),
                message: "The version '\(version.name)' cannot be read: \(problem)", remedy: ComparedRepository.readable
            )
        }
    }

    /// The line that a message of the reader begins with.
    private static func line(in problem: String) -> Int {
        guard problem.hasPrefix("line ") else { return 1 }
        return Int(problem.dropFirst(5).prefix(while: \.isNumber)) ?? 1
    }

    private mutating func checkReading() {
        for version in tree.versions {
            let same = shipped.version(version.name).map { $0.hasSameBytes(as: version) } ?? false
            if !same { findings += Self.problem(of: version).map { [$0] } ?? [] }
        }
        for version in shipped.versions {
            guard let problem = version.problem else { continue }
            findings.append(
                Finding(
                    .unreadable, file: version.path,
                    message: "'\(base)' has a version '\(version.name)' that cannot be read: \(problem) "
                        + "It is not compared.",
                    remedy: "No program was built of it. Allow the finding where the change repairs the file."))
        }
    }

    // MARK: Shipped versions

    private mutating func checkShippedVersions() {
        added = tree.versions.filter { shipped.version($0.name) == nil }
        for version in shipped.versions {
            if let now = tree.version(version.name) {
                compare(version, now)
            } else if fork == nil || fork?.version(version.name) != nil {
                checkMissing(version)
            }
        }
    }

    private mutating func compare(_ version: GateVersion, _ now: GateVersion) {
        if version.hasSameBytes(as: now) { return }
        guard version.problem == nil, now.problem == nil else {
            changed.insert(now.name)
            return
        }
        if let fork {
            guard let before = fork.version(version.name) else {
                if version.isSameVersion(as: now) { return }
                changed.insert(now.name)
                findings.append(ComparedRepository.sameName(now.path))
                return
            }
            // Only the commit has another content than the branch began with.
            if before.isSameVersion(as: now), !version.isSameVersion(as: now) { return }
        }
        if version.isSameVersion(as: now) { return checkUnhashed(version, now) }
        changed.insert(now.name)
        checkEdited(version, now)
    }

    private mutating func checkEdited(_ version: GateVersion, _ now: GateVersion) {
        guard let old = version.model, let new = now.model else { return }
        let changes = GateChange.changes(from: old, to: new)
        let list = changes.prefix(3).map(\.text) + (changes.count > 3 ? ["\(changes.count - 3) more"] : [])
        let what = list.isEmpty ? "" : " (\(list.joined(separator: "; ")))"
        let (entity, property) = (changes.first?.entity, changes.first?.property)
        let line = now.line(entity: entity, property: property)
        let fate =
            "Stores of the shipped version fit no version of the model any more: a program on a Mac does not open "
            + "them, and here they depend on the model that each store keeps."
        let restore = restoration(of: version)
        if now.name == tree.currentName, added.isEmpty {
            findings.append(
                Finding(
                    .unversioned, file: now.path, line: line, entity: entity, property: property,
                    message: "The shipped version '\(now.name)' was changed without a new version\(what). \(fate)",
                    remedy: "Add a version with the changes and make it current, and restore this one: \(restore)."))
        } else {
            findings.append(
                Finding(
                    .edited, file: now.path, line: line, entity: entity, property: property,
                    message: "The shipped version '\(now.name)' was edited\(what). \(fate)",
                    remedy: "Restore it: \(restore)."))
        }
    }

    /// A way to get a shipped version back.
    private func restoration(of version: GateVersion) -> String {
        version.isInDescription
            ? "declare it in the code as it was, and write it with the others into the description"
            : "git checkout \(base) -- '\(version.path)'"
    }

    /// A version whose changes its hash does not show.
    private mutating func checkUnhashed(_ version: GateVersion, _ now: GateVersion) {
        guard let old = version.model, let new = now.model, let change = GateChange.unhashed(from: old, to: new) else {
            return
        }
        findings.append(
            Finding(
                .equalHash, file: now.path, line: now.line(entity: change.entity, property: change.property),
                entity: change.entity, property: change.property,
                message: "The shipped version '\(now.name)' was changed (\(change.text)), and its version hash stays. "
                    + "Stores in use are opened without a migration, so \(change.fate).",
                remedy: "Add a version with the change, and give '\(change.entity)' a hash modifier in it."))
    }

    private mutating func checkMissing(_ version: GateVersion) {
        if let now = added.first(where: { $0.isSameVersion(as: version) && GateChange.isEqual(version, $0) }) {
            added.removeAll { $0 === now }
            findings.append(
                Finding(
                    .renamed, file: now.path,
                    message: "The shipped version '\(version.name)' is called '\(now.name)' now. Stores find it by its "
                        + "hashes. Mapping models and code that name it do not.",
                    remedy: "Keep the name '\(version.name)'."))
            return
        }
        findings.append(
            Finding(
                .deleted, file: version.path,
                message:
                    "The shipped version '\(version.name)' was deleted. A program on a Mac does not open stores of "
                    + "it any more; here they depend on the model that each store keeps.",
                remedy: "Restore it: \(restoration(of: version))."))
    }

    // MARK: The current version

    private mutating func checkCurrent() throws {
        guard let now = tree.currentName, let before = (fork ?? shipped).currentName else { return }
        let file = tree.path.hasSuffix(".xcdatamodeld") ? "\(tree.path)/.xccurrentversion" : tree.path
        if now == before {
            guard let place = tree.place(of: now),
                let version = added.last(where: { tree.place(of: $0.name).map { $0 > place } ?? false })
            else { return }
            findings.append(
                Finding(
                    .notCurrent, file: version.path,
                    message:
                        "The new version '\(version.name)' is not the current one, which is still '\(now)'. No store "
                        + "is migrated to it.",
                    remedy: "Make '\(version.name)' the current version, in \(file)."))
        } else if shipped.version(now) != nil, shipped.version(before) != nil, try isOlder(now, than: before) {
            findings.append(
                Finding(
                    .setBack, file: file,
                    message:
                        "The current version is set back from '\(before)' to '\(now)'. Stores of '\(before)' are not "
                        + "opened any more, or lose what '\(now)' has no place for.",
                    remedy: "Make '\(before)' the current version again. To take a change back, add a version that is "
                        + "like '\(now)'."))
        }
    }

    /// Derived attributes that no store can keep, and that the commit did not have as they are.
    private mutating func checkDerivations(_ current: GateVersion) {
        let faults = current.model?.derivationFaults ?? []
        if faults.isEmpty { return }
        let known = Set(shipped.current?.model?.derivationFaults ?? [])
        for fault in faults where !known.contains(fault) {
            findings.append(
                Finding(
                    .derivation, file: current.path, line: current.line(entity: fault.entity, property: fault.property),
                    entity: fault.entity, property: fault.property,
                    message: "No store is opened with '\(current.name)': \(fault).",
                    remedy: "Correct the derivation expression."))
        }
    }

    /// Whether a version came before another one: by the history, or by the order of names if one commit has both.
    private func isOlder(_ name: String, than other: String) throws -> Bool {
        let times = try [name, other].map { name in
            try shipped.version(name).flatMap { try repository.firstTime(of: $0.path, in: base) }
        }
        if let first = times[0], let second = times[1], first != second { return first < second }
        return (shipped.place(of: name) ?? 0) < (shipped.place(of: other) ?? 0)
    }

    /// A new version that stores do not notice.
    private mutating func checkEqualHash(of current: GateVersion) {
        guard added.contains(where: { $0 === current }),
            let version = shipped.versions.last(where: { $0.isSameVersion(as: current) }),
            let old = version.model, let new = current.model, let change = GateChange.unhashed(from: old, to: new)
        else { return }
        findings.append(
            Finding(
                .equalHash, file: current.path, line: current.line(entity: change.entity, property: change.property),
                entity: change.entity, property: change.property,
                message: "'\(current.name)' has the version hashes of '\(version.name)' and another content "
                    + "(\(change.text)). Stores in use are opened without a migration, so \(change.fate).",
                remedy: "Give '\(change.entity)' a hash modifier in '\(current.name)'."))
    }
}
