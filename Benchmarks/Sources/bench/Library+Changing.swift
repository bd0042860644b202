import CoreData

// Changes of what is there.
extension Library {
    static func update(in context: NSManagedObjectContext) throws -> Measurement {
        var measurement = Measurement()
        let start = Stopwatch()
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.returnsObjectsAsFaults = false
        let books = try context.fetch(request)
        for book in books {
            book.pages += 1
            book.price += 0.25
        }
        try context.save()
        start.stop(into: &measurement)
        measurement.count = books.count
        return measurement
    }

    static func saveEach(in context: NSManagedObjectContext) throws -> Measurement {
        var measurement = Measurement()
        let start = Stopwatch()
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.returnsObjectsAsFaults = false
        request.fetchLimit = Work.saves
        let books = try context.fetch(request)
        for book in books {
            book.pages += 1
            try context.save()
        }
        start.stop(into: &measurement)
        measurement.count = books.count
        return measurement
    }

    static func deleteHalf(in context: NSManagedObjectContext) throws -> Measurement {
        var measurement = Measurement()
        let start = Stopwatch()
        let request = NSFetchRequest<Author>(entityName: "Author")
        for author in try context.fetch(request) where number(of: author) % 2 == 0 {
            context.delete(author)
        }
        context.processPendingChanges()
        measurement.count = context.deletedObjects.count
        try context.save()
        start.stop(into: &measurement)
        return measurement
    }

    /// The number at the end of an object's id, by which plain C chooses, too.
    private static func number(of object: NSManagedObject) -> Int {
        Int(object.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
    }
}
