import Foundation

/// Writes changed files so that a failure leaves the old content.
enum FileWriter {
    /// Replaces files, each by a new one that takes its name once all new files are written.
    static func replace(_ files: [(url: URL, bytes: [UInt8])]) throws {
        var written: [(temporary: URL, url: URL)] = []
        do {
            for (url, bytes) in files {
                let temporary = url.deletingLastPathComponent()
                    .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
                written.append((temporary, url))
                try write(bytes, to: temporary, like: url)
            }
            for (temporary, url) in written { try rename(temporary, url) }
        } catch {
            for (temporary, _) in written { try? FileManager.default.removeItem(at: temporary) }
            throw error
        }
    }

    /// Copies a file or folder with some of its files changed. The copy gets its name when it is whole.
    static func copy(
        _ source: URL, to target: URL, changed: [(path: String, bytes: [UInt8])], isFolder: Bool
    ) throws {
        let parent = target.deletingLastPathComponent()
        let temporary = parent.appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
            if isFolder {
                // Files that tools have built and recorded are no part of the sources.
                for name in try FileManager.default.contentsOfDirectory(atPath: source.path)
                where name != ".build" && name != ".git" {
                    try FileManager.default.copyItem(
                        at: source.appendingPathComponent(name), to: temporary.appendingPathComponent(name))
                }
            } else {
                try FileManager.default.copyItem(
                    at: source, to: temporary.appendingPathComponent(source.lastPathComponent))
            }
            for (path, bytes) in changed {
                let url = temporary.appendingPathComponent(path)
                try replace([(url, bytes)])
            }
            // An empty folder may have that name already.
            if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
            try rename(temporary, target)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            if error is PortError { throw error }
            throw PortError(
                "\(target.path): the copy cannot be written: \(error.localizedDescription)", isAboutTarget: true)
        }
    }

    private static func write(_ bytes: [UInt8], to temporary: URL, like url: URL) throws {
        do {
            try Data(bytes).write(to: temporary)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            if let permissions = attributes[.posixPermissions] {
                try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: temporary.path)
            }
        } catch {
            throw PortError(
                "\(url.path): the file cannot be written: \(error.localizedDescription)", isAboutTarget: true)
        }
    }

    private static func rename(_ source: URL, _ target: URL) throws {
        guard Foundation.rename(source.path, target.path) == 0 else {
            throw PortError(
                "\(target.path): the file cannot be replaced: \(String(cString: strerror(errno)))", isAboutTarget: true)
        }
    }
}
