import Foundation

/// The folders in which a package's targets keep their resources beside the program.
enum PackageResources {
    /// Every "Package_Target.resources" beside the main executable, by name.
    static var folders: [URL] {
        guard let main = Bundle.main.resourceURL else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: main.path)) ?? []
        return names.filter { $0.hasSuffix(".resources") }.sorted().map { main.appendingPathComponent($0) }
    }
}
