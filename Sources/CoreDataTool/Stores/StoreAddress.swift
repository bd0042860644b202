import CoreData
import Foundation

#if PostgreSQL
import CoreDataPostgreSQL
#endif

/// The address of a store on the command line: a path, a `file:` URL, or the URL of a database.
package struct StoreAddress {
    package let url: URL
    package let type: String
    /// The address as messages show it, without a password.
    package let shown: String

    package init(url: URL, type: String, shown: String) {
        (self.url, self.type, self.shown) = (url, type, shown)
    }

    /// The address of a database without a password.
    package static func shown(_ url: URL) -> String { url.shown.absoluteString }

    /// Makes the address. The first bytes of a file show the kind of the store.
    package init(_ text: String) throws {
        if let url = Self.databaseURL(text) {
            #if PostgreSQL
            self.url = url
            type = NSPostgreSQLStoreType
            shown = Self.shown(url)
            return
            #else
            _ = url
            throw ToolError(
                .unreadable, "this build of coredata has no support for PostgreSQL",
                details: ["Build it with 'swift build --product coredata --traits PostgreSQL'."])
            #endif
        }
        let url = text.hasPrefix("file:") ? URL(string: text) : URL(fileURLWithPath: text)
        guard let url, url.isFileURL else { throw ToolError(.usage, "'\(text)' is no address of a store") }
        self.url = url.standardizedFileURL
        shown = text
        type = try Self.type(ofFileAt: self.url, shown: text)
    }

    /// Adds the option for a migration beside other programs.
    func goOnline(_ options: inout [AnyHashable: Any]) throws {
        #if PostgreSQL
        if type == NSPostgreSQLStoreType {
            options[NSPostgreSQLOnlineMigrationOption] = true
            return
        }
        #endif
        throw ToolError(.usage, "'--online' is for stores in databases of PostgreSQL")
    }

    private static func databaseURL(_ text: String) -> URL? {
        let scheme = text.prefix { $0 != ":" }
        guard ["postgresql", "postgres"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else {
            return nil
        }
        return URL(string: text)
    }

    private static func type(ofFileAt url: URL, shown: String) throws -> String {
        var state = stat()
        guard stat(url.path, &state) == 0 else {
            throw ToolError(.unreadable, "\(shown): \(String(cString: strerror(errno)).lowercased())")
        }
        guard state.st_mode & S_IFMT == S_IFREG else {
            throw ToolError(
                .unreadable, "\(shown): this is \(state.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no file")")
        }
        let descriptor = open(url.path, O_RDONLY)
        guard descriptor >= 0 else {
            throw ToolError(.unreadable, "\(shown): \(String(cString: strerror(errno)).lowercased())")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &bytes, bytes.count)
        let start = bytes.prefix(max(0, count))
        if start.starts(with: Array("SQLite format 3\0".utf8)) { return NSSQLiteStoreType }
        if start.starts(with: Array("bplist".utf8)) { return NSBinaryStoreType }
        let text = String(
            decoding: start.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x0A, 0x0D, 0x09].contains($0) }, as: UTF8.self)
        if text.hasPrefix("<?xml") || text.hasPrefix("<!DOCTYPE database") || text.hasPrefix("<database") {
            return NSXMLStoreType
        }
        throw ToolError(
            .unreadable, "\(shown): this is no Core Data store",
            details: [
                start.isEmpty
                    ? "The file is empty. If it was a store, its -wal may have the rows: try 'coredata salvage'."
                    : "It is neither an SQLite database nor an XML or binary store. If it was a store, "
                        + "try 'coredata salvage', which reads what can be read."
            ])
    }

    /// Whether the store has tables. Such a store can keep history, posts notifications of other processes' saves, and
    /// has most links once. A store that is written as a whole has a link at both of its objects.
    package var isInTables: Bool { type != NSXMLStoreType && type != NSBinaryStoreType }

    /// The options for opening stores to read them. The wait for a program that holds a store exclusively is short.
    package static var readingOptions: [AnyHashable: Any] {
        [NSReadOnlyPersistentStoreOption: true, NSPersistentStoreTimeoutOption: 2]
    }

    private static func metadata(_ url: URL, _ type: String) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: NSPersistentStore.StoreType(rawValue: type), at: url, options: readingOptions)
    }

    /// The model that the store keeps, or the damage of the kept copy. Both are nil if it keeps none.
    package func archivedModel() -> (model: NSManagedObjectModel?, damage: String?) {
        do {
            return (
                try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url, options: Self.readingOptions),
                nil
            )
        } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {
            return (nil, nil)
        } catch {
            // A file that is written as a whole has no place for a model.
            return (nil, isInTables ? ToolError(error).message : nil)
        }
    }

    /// The store's metadata; reads it without opening the store or changing a file.
    package func metadata() throws -> [String: Any] {
        do {
            return try Self.metadata(url, type)
        } catch {
            throw ToolError(error, at: shown)
        }
    }
}
