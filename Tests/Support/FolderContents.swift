import Foundation

/// The content of a folder at one moment: every file with its bytes, every folder. Two can be compared.
public struct FolderContents: Equatable, CustomStringConvertible {
    /// Paths relative to the folder; nil for folders.
    public let files: [String: Data?]

    public init(_ folder: URL) throws {
        var files: [String: Data?] = [:]
        let all = FileManager.default.enumerator(atPath: folder.path)
        while let path = all?.nextObject() as? String {
            let url = folder.appendingPathComponent(path)
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            files.updateValue(isFolder.boolValue ? nil : try Data(contentsOf: url), forKey: path)
        }
        self.files = files
    }

    public var description: String {
        files.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value?.count ?? -1))" }.joined(separator: ", ")
    }

    /// The names that differ from another moment.
    public func differences(from other: FolderContents) -> [String] {
        Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted()
    }
}
