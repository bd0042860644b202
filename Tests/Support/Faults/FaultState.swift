import CoreData
import Foundation

/// All that a folder of a `FaultOperation` holds, as lines that can be compared: every object with all its values and
/// what its relationships lead to, history, and which files lie there once the stores have been opened and closed.
public struct FaultState: Equatable, Sendable, CustomStringConvertible {
    /// The content of the stores.
    public private(set) var contents: [String] = []
    /// The names in the folder, with a star for each identifier that is made anew.
    public private(set) var files: [String] = []

    public var description: String { (contents + files).joined(separator: "\n") }

    /// Opens the files that are left as the next program does, and reads their contents.
    public init(of operation: FaultOperation, in folder: URL) throws {
        for (url, type) in FaultOperation.files(in: folder)
        where FileManager.default.fileExists(atPath: url.path) {
            contents.append("\(url.lastPathComponent):")
            // Opening an empty file would make a store of it.
            if try url.resourceValues(forKeys: [.fileSizeKey]).fileSize == 0 {
                contents.append("  nothing")
            } else {
                contents += try Self.lines(of: url, type, operation.versions).map { "  \($0)" }
            }
        }
        let all = FileManager.default.enumerator(atPath: folder.path)
        while let path = all?.nextObject() as? String {
            files.append(path.split(separator: "/").map(Self.withoutIdentifier).joined(separator: "/"))
        }
        files.sort()
    }

    /// The state without the files of external values: those that rows name are among the contents.
    public var withoutExternalFiles: FaultState {
        var state = self
        state.files.removeAll { $0.hasSuffix("_EXTERNAL_DATA/*") }
        return state
    }

    /// The lines that one has and the other has not, to be read.
    public func differences(from other: FaultState) -> String {
        func only(_ some: [String], _ others: [String]) -> [String] {
            some.difference(from: others).insertions.compactMap {
                if case .insert(_, let line, _) = $0 { line } else { nil }
            }
        }
        let (more, less) = (
            only(contents + files, other.contents + other.files),
            only(other.contents + other.files, contents + files)
        )
        return (more.map { "+ \($0)" } + less.map { "- \($0)" }).prefix(12).joined(separator: "\n")
    }

    private static func withoutIdentifier(_ name: Substring) -> String {
        UUID(uuidString: String(name)) == nil ? String(name) : "*"
    }

    // MARK: A store

    private static func lines(of url: URL, _ type: String, _ versions: [NSManagedObjectModel]) throws -> [String] {
        for (number, model) in versions.enumerated() {
            do {
                let lines = try withStore(url, model, type: type, options: FaultOperation.options(type)) { context in
                    let history = type == NSSQLiteStoreType ? try Self.history(context) : []
                    return try StoreText.lines(context, model, describing: name, naming: label) + history
                }
                return ["version \(versions.count - number)"] + lines + (try damage(url, type))
            } catch let error as NSError
                where error.code == NSPersistentStoreIncompatibleVersionHashError && number + 1 < versions.count
            {}
        }
        return []
    }

    /// The result of SQLite's own check of the whole file.
    private static func damage(_ url: URL, _ type: String) throws -> [String] {
        guard type == NSSQLiteStoreType else { return [] }
        return try RawDatabase(url).integrityCheck()
    }

    /// A name that is one object's alone.
    private static func label(of object: NSManagedObject) -> String {
        let keys = object.entity.attributesByName
        let key = ["name", "title", "room", "label"].first { keys[$0] != nil } ?? ""
        return "\(object.value(forKey: key) ?? "nil")"
    }

    private static func name(of object: NSManagedObject) -> String {
        let values = object.entity.attributesByName.keys.sorted().map { key in
            let value = object.value(forKey: key)
            return "\(key)=\((value as? Data).map(digest) ?? value.map { "\($0)" } ?? "nil")"
        }
        return "\(object.entity.name ?? "") (\(values.joined(separator: "; ")))"
    }

    /// Bytes in short.
    private static func digest(_ data: Data) -> String {
        "\(data.count) bytes \(String(data.stableHash, radix: 16))"
    }

    private static func history(_ context: NSManagedObjectContext) throws -> [String] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
        return transactions.map { transaction in
            let changes = (transaction.changes ?? []).map { change in
                let object = change.changedObjectID
                // An object that is made once more has another key.
                if change.changeType == .insert { return "0 \(object.entity.name ?? "")" }
                return "\(change.changeType.rawValue) \(object.uriRepresentation().path)"
            }
            return "by \(transaction.author ?? "nobody"): \(changes.sorted().joined(separator: ", "))"
        }
    }
}
