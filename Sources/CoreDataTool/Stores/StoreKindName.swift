import CoreData
import Foundation

/// The names on the command line of the kinds of stores that can be made.
enum StoreKindName: String, CaseIterable {
    case sqlite, xml, binary, postgresql

    static let files = [sqlite, xml, binary].map(\.rawValue)
    static let help =
        "sqlite, xml or binary; by default by the suffix: '.xml', '.binary', and SQLite for every other one"

    /// The kind by the option, or else by the address of the new store.
    static func given(_ arguments: Arguments, _ target: String) throws -> StoreKindName {
        let given = try arguments.choice("type", StoreKindName.self)
        let isDatabase = ["postgresql://", "postgres://"].contains { target.hasPrefix($0) }
        if let given, isDatabase != (given == .postgresql) {
            throw arguments.misuse(
                isDatabase
                    ? "'\(given.rawValue)' stores have a path, not the address of a database"
                    : "a store in PostgreSQL has an address such as postgresql://host/database")
        }
        if isDatabase { return .postgresql }
        switch URL(fileURLWithPath: target).pathExtension.lowercased() {
        case "xml": return given ?? .xml
        case "binary": return given ?? .binary
        default: return given ?? .sqlite
        }
    }

    var storeType: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        case .postgresql: "PostgreSQL"
        }
    }

    /// The URL of a new store.
    func url(_ target: String) throws -> URL {
        // A build without support for databases throws an error here.
        if self == .postgresql { return try StoreAddress(target).url }
        let url = target.hasPrefix("file:") ? URL(string: target) : URL(fileURLWithPath: target)
        guard let url, url.isFileURL, !target.isEmpty, !target.hasSuffix("/") else {
            throw ToolError(.usage, "'\(target)' is no address of a new store")
        }
        let folder = url.deletingLastPathComponent()
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw ToolError(.unreadable, "\(target): there is no folder \(folder.path)")
        }
        return url.standardizedFileURL
    }
}
