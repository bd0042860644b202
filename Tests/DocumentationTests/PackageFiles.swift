import CoreData
import Foundation
import TestSupport

/// The files of this package.
enum PackageFiles {
    /// The modules that other packages import.
    static let modules = ["CoreData", "CoreDataManager", "MigrationTestKit", "SwiftData", "CoreDataPostgreSQL"]

    /// The files with this extension below a folder of the package, as paths from the package's root, sorted. Build
    /// folders and other hidden ones are left out, and so is what links lead to.
    static func paths(under folder: String = "", extension name: String) -> [String] {
        let root = Toolchain.package.appendingPathComponent(folder)
        let walk = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: [.isSymbolicLinkKey], options: .skipsHiddenFiles)
        let prefix = Toolchain.package.path + "/"
        var paths: [String] = []
        while let file = walk?.nextObject() as? URL {
            if file.lastPathComponent.hasPrefix(".") {
                walk?.skipDescendants()
            } else if file.pathExtension == name, !isLink(file), file.path.hasPrefix(prefix) {
                paths.append(String(file.path.dropFirst(prefix.count)))
            }
        }
        return paths.sorted()
    }

    private static func isLink(_ file: URL) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) != nil
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: Toolchain.package.appendingPathComponent(path), encoding: .utf8)
    }

    private static let sources = Locked<[String: SourceText]>([:])

    /// A source, taken apart. Suites of one process share the result.
    static func source(_ path: String) throws -> SourceText {
        if let known = sources.withLock({ $0[path] }) { return known }
        let source = SourceText(try text(path))
        sources.withLock { $0[path] = source }
        return source
    }

    /// Calls the body with the bytes of each line of a text, until it returns false.
    private static func eachLine(_ text: String, _ body: (UnsafeRawBufferPointer) -> Bool) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let end = memchr(start, 10, rest.count).map { UnsafeRawPointer($0) - start } ?? rest.count
                if !body(UnsafeRawBufferPointer(rebasing: rest[..<end])) { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
            }
        }
    }

    /// Whether a text has a line of more bytes.
    static func hasLine(longerThan limit: Int, _ text: String) -> Bool {
        var isFound = false
        eachLine(text) { line in
            isFound = line.count > limit
            return !isFound
        }
        return isFound
    }

    /// How many lines of a source have nothing but a comment.
    static func commentLines(_ text: String) -> Int {
        var count = 0
        eachLine(text) { line in
            let start = line.firstIndex { $0 != UInt8(ascii: " ") } ?? line.endIndex
            if line[start...].starts(with: "//".utf8) { count += 1 }
            return true
        }
        return count
    }

    /// The articles: the pages of the catalogues, and what lies in Documentation.
    static var articles: [String] {
        modules.flatMap { paths(under: "Sources/\($0)/\($0).docc", extension: "md") }
            + paths(under: "Documentation", extension: "md")
    }
}
