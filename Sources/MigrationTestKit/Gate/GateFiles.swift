import CoreData
import Foundation

/// The files of models and mapping models on one side of a comparison, by their paths below the root.
struct GateFiles {
    /// The name of the side before paths in messages: `main:`; empty for the working tree.
    let prefix: String
    var contents: [String: Data] = [:]
    /// Links that lead out of the repository.
    var links: [String] = []
    /// The commits of submodules by their paths.
    var submodules: [String: String] = [:]

    /// The patterns of git for the files.
    static let patterns = [
        "*.xcdatamodeld", "*.xcdatamodeld/*", "*.xcdatamodel", "*.xcdatamodel/*", "*.xcmappingmodel",
        "*.xcmappingmodel/*", "*.\(ModelDescription.fileExtension)",
    ]

    /// Whether a file is a part of a model or a mapping model.
    static func isPart(_ path: String) -> Bool {
        if path.hasSuffix(".\(ModelDescription.fileExtension)") { return true }
        let parts = path.split(separator: "/")
        guard parts.dropLast().contains(where: { isModel($0) || $0.hasSuffix(".xcmappingmodel") }) else { return false }
        return ["contents", "elements", ".xccurrentversion", "xcmapping.xml"].contains(parts[parts.count - 1])
    }

    static func isModel(_ name: some StringProtocol) -> Bool {
        name.hasSuffix(".xcdatamodeld") || name.hasSuffix(".xcdatamodel")
    }

    /// The files of a commit.
    init(of commit: String, named name: String, in repository: GitRepository) throws {
        prefix = "\(name):"
        let entries = try repository.entries(of: commit)
        var wanted: [String: String] = [:]
        var linked: [GitRepository.Entry] = []
        for entry in entries {
            switch entry.kind {
            case .submodule: submodules[entry.path] = entry.id
            case .link: if Self.isPart(entry.path) { linked.append(entry) }
            case .file: if Self.isPart(entry.path) { wanted[entry.path] = entry.id }
            }
        }
        if !linked.isEmpty {
            let targets = try repository.contents(of: Set(linked.map(\.id)))
            let ids = Dictionary(entries.map { ($0.path, $0.id) }, uniquingKeysWith: { first, _ in first })
            for link in linked {
                let target = targets[link.id].map { String(decoding: $0, as: UTF8.self) } ?? ""
                if let id = Self.path(target, from: link.path).flatMap({ ids[$0] }) {
                    wanted[link.path] = id
                } else {
                    links.append(link.path)
                }
            }
        }
        let found = try repository.contents(of: Set(wanted.values))
        contents = wanted.compactMapValues { found[$0] }
    }

    /// The path of a link's target below the root; nil if it is outside.
    private static func path(_ target: String, from link: String) -> String? {
        if target.hasPrefix("/") { return nil }
        var parts = link.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(String(part))
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }

    /// The files of the working tree.
    init(ofTreeOf repository: GitRepository) throws {
        prefix = ""
        let root = repository.root.resolvingSymlinksInPath().path + "/"
        contents = try repository.skippedFiles(matching: Self.patterns).filter { Self.isPart($0.key) }
        for path in try repository.files(matching: Self.patterns) {
            let url = repository.root.appendingPathComponent(path)
            let place = url.resolvingSymlinksInPath().path
            if !place.hasPrefix(root) {
                links.append(path)
            } else if Self.isPart(path), let data = try? Data(contentsOf: url) {
                contents[path] = data
            }
        }
    }
}
