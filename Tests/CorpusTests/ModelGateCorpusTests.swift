import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

/// The kept histories of real models, played into repositories.
@Suite(
    "Gates for the histories of real models",
    .enabled(if: Corpus.isPresent && Sample.isWhole, "a long test, which needs a corpus"))
struct ModelGateCorpusTests {
    private static let repositories = Corpus.paths { $0.hasSuffix("/@history") }.map { String($0.dropLast(9)) }

    /// The findings beside edited versions, compared by hand with the kept files: a bundle without its current
    /// version's name, and one whose only version is not kept.
    private static let otherFindings: Set<String> = [
        "notCurrent CoreDataStackTests/TestModel.xcdatamodeld/TestModel 2.xcdatamodel/contents",
        "unreadable Resources/RestKitCoreData.xcdatamodeld",
    ]

    @Test("The findings are the versions whose hashes a change altered, and nothing else", arguments: repositories)
    func histories(_ name: String) throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            let history = Corpus.url("\(name)/@history")
            let steps = try FileManager.default.contentsOfDirectory(atPath: history.path).sorted()
            var before: [String: String]?
            for state in steps.map({ history.appendingPathComponent($0) }) + [Corpus.url(name)] {
                let models = Self.models(in: state)
                if models.isEmpty { continue }
                try Self.take(models, of: state, into: folder)
                let now = try Self.checksums(in: folder)
                if let before {
                    let report = try ModelGate(repository: folder, base: "HEAD").check()
                    let edited = report.findings.filter { [.edited, .unversioned].contains($0.rule) }
                    let changed = now.filter { before[$0.key] != nil && before[$0.key] != $0.value }.map(\.key)
                    #expect(Set(edited.map { Self.version($0.file) }) == Set(changed), "\(state.path): \(report)")
                    let others = report.findings.filter { ![.edited, .unversioned].contains($0.rule) }
                    let names = Set(others.map { "\($0.rule.rawValue) \($0.file)" })
                    #expect(names.isSubset(of: Self.otherFindings), "\(state.path): \(report)")
                }
                try repository.commit()
                before = now
            }
        }
    }

    @Test("There are histories")
    func present() { #expect(Self.repositories.count >= 5) }

    /// The paths of models and mapping models below a state, without those of its own history.
    private static func models(in state: URL) -> [String] {
        let walk = FileManager.default.enumerator(atPath: state.path)
        var found: [String] = []
        while let path = walk?.nextObject() as? String {
            if path.hasPrefix("@history") {
                walk?.skipDescendants()
            } else if ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"].contains((path as NSString).pathExtension) {
                walk?.skipDescendants()
                found.append(path)
            }
        }
        return found
    }

    /// Puts the models of a state into the working tree, in place of models of their names. A state has the models that
    /// it changed, and all mapping models.
    private static func take(_ models: [String], of state: URL, into folder: URL) throws {
        let manager = FileManager.default
        let names = Set(models.map { ($0 as NSString).lastPathComponent })
        for path in Self.models(in: folder) {
            let name = (path as NSString).lastPathComponent
            guard names.contains(name) || name.hasSuffix(".xcmappingmodel") else { continue }
            try manager.removeItem(at: folder.appendingPathComponent(path))
        }
        for path in models {
            let target = folder.appendingPathComponent(path)
            try manager.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            for file in try manager.subpathsOfDirectory(atPath: state.appendingPathComponent(path).path) {
                let source = state.appendingPathComponent(path).appendingPathComponent(file)
                var isFolder: ObjCBool = false
                guard manager.fileExists(atPath: source.path, isDirectory: &isFolder), !isFolder.boolValue else {
                    continue
                }
                // The corpus may be read-only, and a copy would take over its rights.
                let copy = target.appendingPathComponent(file)
                try manager.createDirectory(
                    at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(contentsOf: source).write(to: copy)
            }
        }
    }

    /// Bundle and version of a file or a folder: the path may change from state to state.
    private static func version(_ path: String) -> String {
        let parts = path.split(separator: "/")
        guard let place = parts.firstIndex(where: { $0.hasSuffix(".xcdatamodel") }) else { return path }
        return parts[max(place - 1, 0)...place].joined(separator: "/")
    }

    private static func checksums(in folder: URL) throws -> [String: String] {
        let versions = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".xcdatamodel") && !$0.hasPrefix(".git/")
        }
        return Dictionary(
            try versions.map { path in
                let model = try NSManagedObjectModel.read(contentsOf: folder.appendingPathComponent(path))
                return (version(path), model.versionChecksum)
            }, uniquingKeysWith: { first, _ in first })
    }
}
