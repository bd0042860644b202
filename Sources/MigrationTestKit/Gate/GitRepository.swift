import CoreData
import Foundation

/// A repository of git, read by the program `git`. Nothing in it changes, and nothing is checked out.
struct GitRepository {
    /// An entry of a commit's tree.
    struct Entry {
        enum Kind {
            case file
            case link
            case submodule
        }

        let kind: Kind
        /// The name of the content; for a submodule the name of its commit.
        let id: String
        /// The path below the root.
        let path: String
    }

    /// The root of the working tree.
    let root: URL
    let isShallow: Bool

    /// The repository whose working tree has a folder.
    init(containing folder: URL) throws {
        let answer = try Self.run(["rev-parse", "--show-toplevel", "--is-shallow-repository"], in: folder)
        let lines = answer.text.split(separator: "\n").map(String.init)
        guard answer.status == 0, let top = lines.first else {
            throw ModelGateError(
                "\(folder.path) is in no working tree of git: \(answer.complaint)",
                help: "The check compares with a commit. Name a folder of a repository.")
        }
        root = URL(fileURLWithPath: top)
        isShallow = lines.last == "true"
    }

    // MARK: Commits

    /// The full name of a commit; nil if the repository does not have it.
    func commit(_ name: String) throws -> String? {
        // A name that begins with a dash would be an option.
        guard !name.hasPrefix("-"), !name.isEmpty else { return nil }
        let answer = try Self.run(["rev-parse", "--verify", "--quiet", "\(name)^{commit}"], in: root)
        return answer.status == 0 ? answer.text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    /// The commit at which two commits part; nil if they have none in common, as far as the history is there.
    func fork(of one: String, and other: String) throws -> String? {
        let answer = try Self.run(["merge-base", one, other], in: root)
        return answer.status == 0 ? answer.text.split(separator: "\n").first.map(String.init) : nil
    }

    /// The time at which a path first came into the history of a commit.
    func firstTime(of path: String, in commit: String) throws -> Int? {
        let answer = try Self.run(
            ["log", "--diff-filter=A", "--format=%ct", commit, "--", ":(literal)\(path)"], in: root)
        return answer.text.split(separator: "\n").last.flatMap { Int($0) }
    }

    /// The entries of a commit's tree.
    func entries(of commit: String) throws -> [Entry] {
        let answer = try Self.run(["ls-tree", "-r", "-z", "--full-tree", commit], in: root).requireSuccess()
        return Self.records(answer.output).compactMap { record in
            // The mode, the type and the name of the content; a tabulator; the path.
            guard let tab = record.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
            let words = record[..<tab].split(separator: UInt8(ascii: " "))
            guard words.count == 3 else { return nil }
            return Self.entry(mode: words[0], id: words[2], path: record[(tab + 1)...])
        }
    }

    private static func entry(mode: Data.SubSequence, id: Data.SubSequence, path: Data.SubSequence) -> Entry {
        let kind: Entry.Kind =
            mode.elementsEqual("120000".utf8) ? .link : mode.elementsEqual("160000".utf8) ? .submodule : .file
        return Entry(kind: kind, id: String(decoding: id, as: UTF8.self), path: String(decoding: path, as: UTF8.self))
    }

    private static func records(_ data: Data) -> [Data.SubSequence] { data.split(separator: 0) }

    /// The contents of these names. One that is missing is left out.
    func contents(of ids: Set<String>) throws -> [String: Data] {
        var result: [String: Data] = [:]
        let sorted = ids.sorted()
        // The names of one call fit into the buffer of a pipe, so that neither process waits for the other.
        for start in stride(from: 0, to: sorted.count, by: 500) {
            let some = sorted[start..<min(start + 500, sorted.count)]
            let input = Data((some.joined(separator: "\n") + "\n").utf8)
            let output = try Self.run(["cat-file", "--batch"], in: root, input: input).requireSuccess().output
            var rest = output[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
                rest = rest[(end + 1)...]
                guard words.count == 3, let size = Int(words[2]) else { continue }
                result[String(words[0])] = Data(rest.prefix(size))
                rest = rest.dropFirst(size + 1)
            }
        }
        return result
    }

    // MARK: The working tree

    /// The paths of files in the working tree, tracked or not, without those that git ignores.
    func files(matching patterns: [String]) throws -> [String] {
        let answer = try Self.run(
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"] + patterns, in: root
        ).requireSuccess()
        return Array(Set(Self.records(answer.output).map { String(decoding: $0, as: UTF8.self) })).sorted()
    }

    /// The contents of tracked files that a sparse check-out leaves out of the working tree, by their paths.
    func skippedFiles(matching patterns: [String]) throws -> [String: Data] {
        let answer = try Self.run(["ls-files", "-z", "-t", "-s", "--"] + patterns, in: root).requireSuccess()
        var ids: [String: String] = [:]
        for record in Self.records(answer.output) where record.first == UInt8(ascii: "S") {
            guard let tab = record.firstIndex(of: UInt8(ascii: "\t")) else { continue }
            let words = String(decoding: record[..<tab], as: UTF8.self).split(separator: " ")
            guard words.count == 4 else { continue }
            ids[String(decoding: record[(tab + 1)...], as: UTF8.self)] = String(words[2])
        }
        if ids.isEmpty { return [:] }
        let found = try contents(of: Set(ids.values))
        return ids.compactMapValues { found[$0] }
    }

    /// Whether the index has a submodule at a path.
    func hasSubmodule(_ path: String) throws -> Bool {
        try Self.run(["ls-files", "-s", "--", ":(literal)\(path)"], in: root).text.hasPrefix("160000 ")
    }

    /// The paths that a merge has left with conflicts, each with the stages that the index has: 1 for the common
    /// ancestor, 2 and 3 for the two sides.
    func conflicts() throws -> [String: Set<Int>] {
        let answer = try Self.run(["ls-files", "-z", "--unmerged"], in: root).requireSuccess()
        var result: [String: Set<Int>] = [:]
        for record in Self.records(answer.output) {
            guard let tab = record.firstIndex(of: UInt8(ascii: "\t")),
                let stage = record[..<tab].last.map({ Int($0) - Int(UInt8(ascii: "0")) })
            else { continue }
            result[String(decoding: record[(tab + 1)...], as: UTF8.self), default: []].insert(stage)
        }
        return result
    }

    /// The files of the working tree, or of a commit, that match a pattern and have one of some texts.
    func sources(
        with texts: [String], matching patterns: [String] = ["*.swift"], in commit: String? = nil
    ) throws -> [String] {
        let place = commit.map { [$0] } ?? ["--untracked"]
        let answer = try Self.run(
            ["grep", "-l", "-z", "-I", "-F"] + texts.flatMap { ["-e", $0] } + place + ["--"] + patterns, in: root)
        // The status 1 means that no file has any.
        if answer.status != 1 { _ = try answer.requireSuccess() }
        // The name of a commit stands before each path.
        return Self.records(answer.output).map { record in
            String(decoding: record.dropFirst(commit.map { $0.utf8.count + 1 } ?? 0), as: UTF8.self)
        }
    }

    // MARK: The program

    private struct Answer {
        let output: Data
        let status: Int32
        let complaint: String
        let command: String

        var text: String { String(decoding: output, as: UTF8.self) }

        func requireSuccess() throws -> Answer {
            guard status == 0 else { throw ModelGateError("git \(command): \(complaint)", help: "") }
            return self
        }
    }

    /// Within a hook, git sets variables that name another repository than the folder's, or another index. It passes
    /// on how the paths of its own command are read, too.
    private static let environment: [String: String] = {
        let own = ProcessInfo.processInfo.environment.filter { name, _ in
            !["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"].contains(name)
                && !name.hasSuffix("_PATHSPECS")
        }
        let settings = ["LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"]
        return own.merging(settings) { $1 }
    }()

    private static func run(_ arguments: [String], in folder: URL, input: Data? = nil) throws -> Answer {
        let process = AwaitedProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A user's settings may add colours to the output, or have git enter submodules, which some commands refuse.
        let settings = ["core.quotePath=false", "color.ui=false", "color.grep=false", "submodule.recurse=false"]
        process.arguments = ["git", "-C", folder.path] + settings.flatMap { ["-c", $0] } + arguments
        process.environment = environment
        let (output, errors, words) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = input == nil ? FileHandle.nullDevice : words
        do {
            try process.run()
        } catch {
            throw ModelGateError("git cannot be started: \(error)", help: "Install git, and put it on the PATH.")
        }
        if let input {
            try? words.fileHandleForWriting.write(contentsOf: input)
            try? words.fileHandleForWriting.close()
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // Foundation keeps the pipes of a process. A check of many versions would have thousands of open descriptors.
        for pipe in [output, errors] { try? pipe.fileHandleForReading.close() }
        if process.terminationStatus == 127 {
            throw ModelGateError("git is not installed: there is no program 'git' on the PATH", help: "Install git.")
        }
        let complaint =
            said.split(separator: "\n").first.map(String.init) ?? "it ends with \(process.terminationStatus)"
        return Answer(
            output: data, status: process.terminationStatus, complaint: complaint,
            command: arguments.first ?? "")
    }
}
