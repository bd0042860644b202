import CoreData
import CoreDataManager

// Code of Documentation/Adding.md, and of articles about files, rows and databases.
enum DocumentSnippets {
    // MARK: Adding.md

    // snippet: a class without properties
    final class Note: NSManagedObject {}
    // snippet end

    static func modelInCode() throws {
        // snippet: a model in code
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.managedObjectClassName = NSStringFromClass(Note.self)
        entity.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [entity]

        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "notes.sqlite"), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            Note(context: context).setValue("Water the garden", forKey: "text")
            try context.save()
        }
        // snippet end
    }

    // MARK: FilesAndCompatibility.md, FaultingAndPerformance.md, Predicates.md

    final class Author: NSManagedObject {
        var name: String?
    }

    final class Book: NSManagedObject {
        var author: Author?
        var price = 0.0
    }

    static func address(container: NSPersistentContainer) -> NSPersistentStoreDescription {
        // snippet: an address of its own
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/var/lib/notes/Notes.sqlite"))
        container.persistentStoreDescriptions = [description]
        // snippet end
        return description
    }

    static func readingFaults(context: NSManagedObjectContext, book: Book) throws -> String? {
        // snippet: reading faults
        let name = try context.readingFaults { book.author?.name }
        // snippet end
        return name
    }

    static func fulfilling(context: NSManagedObjectContext) throws {
        // snippet: fulfilling faults
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.returnsObjectsAsFaults = false  // the fetch reads the rows, and throws
        request.relationshipKeyPathsForPrefetching = ["books"]
        let authors = try context.fetch(request)
        try context.fulfillFaults(of: authors, relationshipKeyPaths: ["books.tags"])
        // snippet end
    }

    static func manyObjects(context: NSManagedObjectContext, booksToChange: NSFetchRequest<Book>) throws {
        // snippet: many objects
        for (number, book) in try context.fetch(booksToChange, batchSize: 500).enumerated() {
            book.price *= 2
            if number % 10_000 == 9_999 {
                try context.save()
                context.reset()
            }
        }
        try context.save()
        // snippet end
    }

    static func predicate(text: String) throws -> NSPredicate {
        // snippet: a predicate from a user
        let predicate = try NSPredicate.parse(format: text)
        // snippet end
        return predicate
    }
}

// ContextsAndTheMainQueue.md
extension DocumentSnippets {
    @MainActor
    static func reference(manager: CoreDataManager, note: Note) async throws {
        // snippet: an object reference
        let reference = try ObjectReference(note)
        try await manager.performBackground { context in
            try reference.object(in: context).setValue("Done", forKey: "text")
        }
        // snippet end
    }
}

// Migrations.md
extension DocumentSnippets {
    static func losses(
        description: NSPersistentStoreDescription, configuration: inout CoreDataManager.Configuration
    ) {
        // snippet: allowed losses
        description.setOption(["Note.color", "Tag"] as NSArray, forKey: NSMigrationAllowedLossesOption)
        configuration.allowedLosses = ["Note.color", "Tag"]  // with CoreDataManager
        // snippet end
    }
}

#if PostgreSQL
import CoreDataPostgreSQL

// StoresInDatabases.md
extension DocumentSnippets {
    static func failure(error: any Error) {
        // snippet: a failure of a server
        switch (error as NSError).userInfo[NSPostgreSQLFailureKey] as? String {
        case PostgreSQLFailure.passwordRefused.rawValue: print("The password is wrong, or there is none.")
        case PostgreSQLFailure.unreachable.rawValue: print("The server does not answer.")
        default: print(error.localizedDescription)
        }
        // snippet end
    }
}
#endif

// ComingFromAMac.md
extension DocumentSnippets {
    static func deletion(of request: NSFetchRequest<Book>) -> NSBatchDeleteRequest {
        // snippet: a request of any result type
        let deletion = NSBatchDeleteRequest(fetchRequest: request)
        // snippet end
        return deletion
    }

    static func members(author: Author) -> ([Book], Set<Book>) {
        // snippet: members of a relationship
        let books = author.value(forKey: "books") as? Set<Book> ?? []
        let members = author.mutableSetValue(forKey: "books").allObjects as? [Book] ?? []
        // snippet end
        return (members, books)
    }

    class Person: NSManagedObject {
        // snippet: validation of a property
        func validateEmail(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
            if (value.pointee as? String)?.contains("@") == false {
                throw CocoaError(.validationStringPatternMatching)
            }
        }
        // snippet end
    }
}
