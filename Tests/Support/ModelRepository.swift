import Foundation

/// A repository of git with models as Xcode keeps them, for tests of what a change of a model does.
public struct ModelRepository {
    /// The root of the working tree.
    public let folder: URL

    /// Makes an empty repository with a branch `main`.
    public init(at folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try git("init", "--quiet", "--initial-branch=main")
    }

    /// Runs git, which must succeed.
    @discardableResult
    public func git(_ arguments: String...) throws -> String {
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]
        let run = try ToolRun(
            ["git", "-C", folder.path] + identity + arguments, environment: ["GIT_CONFIG_GLOBAL": "/dev/null"],
            program: URL(fileURLWithPath: "/usr/bin/env"))
        if run.status != 0 { throw Failure(text: "git \(arguments): \(run.errors)") }
        return run.output
    }

    public struct Failure: Error {
        public let text: String
    }

    /// Commits the whole working tree.
    public func commit(_ message: String = "Change") throws {
        try git("add", "--all")
        try git("commit", "--quiet", "--allow-empty", "--message", message)
    }

    public func write(_ text: String, to path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    public func text(at path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    public func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(path))
    }

    public func move(_ path: String, to other: String) throws {
        try FileManager.default.moveItem(
            at: folder.appendingPathComponent(path), to: folder.appendingPathComponent(other))
    }

    // MARK: Models

    /// The path of a version's file.
    public static func path(_ version: String, in model: String = "Library") -> String {
        "\(model).xcdatamodeld/\(version).xcdatamodel/contents"
    }

    /// Writes a version; `content` is what stands within the model's element, and `attributes` are that element's.
    public func write(
        version: String, of model: String = "Library", _ content: String, attributes: String = ""
    ) throws {
        try write(Self.source(content, attributes: attributes), to: Self.path(version, in: model))
    }

    /// The text of a version's file.
    public static func source(_ content: String, attributes: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"\(attributes)>
        \(content)
        </model>

        """
    }

    /// Makes a version the current one.
    public func choose(_ version: String, of model: String = "Library") throws {
        try write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
            \t<key>_XCCurrentVersionName</key>
            \t<string>\(version).xcdatamodel</string>
            </dict>
            </plist>

            """, to: "\(model).xcdatamodeld/.xccurrentversion")
    }
}
