import CMailSQLite
import CoreData
import CoreDataManager

/// The user's mail on disk: makes it in the first version of the schema, and checks whether it is whole.
struct MailStore {
    let url: URL

    static let folderCount = 12

    /// Writes an account with folders, `messages` messages and an attachment for every fourth of them.
    func build(messages: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MailModel.first.make())
        let store = try coordinator.addPersistentStore(
            ofType: url.storeType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let account = insert("Account", into: context)
            account.setValue("Ada", forKey: "name")
            let folders = (0..<Self.folderCount).map { number in
                let folder = insert("Folder", into: context)
                folder.setValue("Folder \(number + 1)", forKey: "name")
                folder.setValue(account, forKey: "account")
                return folder
            }
            try context.save()
            let folderIDs = folders.map(\.objectID)

            // In batches, each forgotten when it is saved: the memory does not grow with the mail.
            let batch = 2_000
            for start in stride(from: 0, to: messages, by: batch) {
                let folders = folderIDs.map { context.object(with: $0) }
                for number in start..<min(start + batch, messages) {
                    let message = insert("Message", into: context)
                    MailText.fill(message, number: number)
                    message.setValue(folders[number % folders.count], forKey: "folder")
                    if number % 4 == 0 {
                        let attachment = insert("Attachment", into: context)
                        attachment.setValue("photo-\(number).jpg", forKey: "fileName")
                        attachment.setValue(40_000 + number % 9_000, forKey: "byteCount")
                        attachment.setValue(message, forKey: "message")
                    }
                }
                try context.save()
                context.reset()
            }
        }
        try coordinator.remove(store)
    }

    private func insert(_ entity: String, into context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    /// Returns a description of the store in one line. The first of the versions that the store fits opens it.
    func check(versions: [MailModel]) throws -> String {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: url.storeType, at: url)
        let fitting = versions.first {
            $0.make().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
        guard let fitting else { throw DemoFailure("the store fits none of the versions") }
        return "\(fitting == .first ? "the old" : "the new") version opens it: \(try check(version: fitting))"
    }

    private func check(version: MailModel) throws -> String {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version.make())
        let store = try coordinator.addPersistentStore(
            ofType: url.storeType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let counts = try context.performAndWait {
            try ["Account", "Folder", "Message", "Attachment"].map { entity in
                "\(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))) × \(entity)"
            }
        }
        try coordinator.remove(store)
        let found = counts.joined(separator: ", ")
        return url.isFileURL ? "\(found); SQLite's quick_check says \(try quickCheck())" : found
    }

    /// Size of the file and its journal, in bytes.
    var byteCount: Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    /// A copy of the store under another name: the file and, if there is one, its journal.
    func copy(named name: String) throws -> MailStore {
        let copy = MailStore(url: url.deletingLastPathComponent().appendingPathComponent(name))
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.url.path + suffix)
            // A user's mail has long been on the disk; the launch must not pay for writing the copy.
            try FileHandle(forUpdating: URL(fileURLWithPath: copy.url.path + suffix)).synchronize()
        }
        return copy
    }

    func remove() {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    private func quickCheck() throws -> String {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw DemoFailure("SQLite cannot open \(url.lastPathComponent)")
        }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, "PRAGMA quick_check(1)", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { throw DemoFailure(String(cString: sqlite3_errmsg(database))) }
        return "\"\(String(cString: text))\""
    }
}

extension CoreDataManager {
    /// The manager of a store of the mail program.
    convenience init(mail: MailModel, storeURL: URL) {
        var configuration = Configuration()
        configuration.allowedLosses = MailModel.allowedLosses
        configuration.storeType = storeURL.storeType
        self.init(model: mail.make(), storeURL: storeURL, configuration: configuration)
    }
}

/// The words of the mail, the same in every run.
enum MailText {
    private static let words = [
        "meeting", "invoice", "harbour", "draft", "summer", "review", "ticket", "garden", "release", "window", "letter",
        "station", "budget", "coffee", "weekend", "report",
    ]

    /// Gives a message its values.
    static func fill(_ message: NSManagedObject, number: Int) {
        let word = words[number % words.count]
        let other = words[(number / 7) % words.count]
        message.setValue("About the \(word) and the \(other), number \(number)", forKey: "subject")
        message.setValue("\(other)@example.org", forKey: "sender")
        message.setValue(String(repeating: "The \(word) goes with the \(other). ", count: 36), forKey: "body")
        message.setValue("The \(word) goes with", forKey: "snippet")
        message.setValue(Date(timeIntervalSinceReferenceDate: 600_000_000 + Double(number) * 61), forKey: "received")
        message.setValue(number % 5 != 0, forKey: "isRead")
    }
}

/// Why the demonstration cannot continue.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
