import CoreData

// Requests that change rows without objects, and the history.
extension Library {
    static func insertDictionaries(_ rows: SwiftRows, in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            var next = rows.books.makeIterator()
            let request = NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
                guard let row = next.next() else { return true }
                dictionary["title"] = row.title
                dictionary["isbn"] = row.isbn
                dictionary["note"] = row.note
                dictionary["pages"] = row.pages
                dictionary["price"] = row.price
                dictionary["published"] = row.published
                dictionary["rating"] = row.rating
                return false
            }
            return ((), try changed(by: request, .count, in: context), 0)
        }
    }

    static func insertObjects(_ rows: SwiftRows, in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            var next = rows.books.makeIterator()
            let request = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
                guard let row = next.next(), let book = object as? Book else { return true }
                row.fill(book)
                return false
            }
            return ((), try changed(by: request, .count, in: context), 0)
        }
    }

    static func insertArray(_ rows: SwiftRows, in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let dictionaries = rows.books.map { row in
                var dictionary: [String: Any] = [
                    "title": row.title, "isbn": row.isbn, "pages": row.pages, "price": row.price,
                    "published": row.published, "rating": row.rating,
                ]
                if let note = row.note { dictionary["note"] = note }
                return dictionary
            }
            let request = NSBatchInsertRequest(entityName: "Book", objects: dictionaries)
            // C keeps its structs, too.
            return (dictionaries, try changed(by: request, .count, in: context), 0)
        }
    }

    private static func changed(
        by request: NSBatchInsertRequest, _ type: NSBatchInsertRequestResultType, in context: NSManagedObjectContext
    ) throws -> Int {
        request.resultType = type
        let result = try context.execute(request) as? NSBatchInsertResult
        return result?.result as? Int ?? 0
    }

    static func batchUpdate(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1"), "note": "of a batch"]
            request.resultType = .updatedObjectsCountResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            return ((), result?.result as? Int ?? 0, 0)
        }
    }

    static func batchDelete(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let books = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            books.predicate = NSPredicate(format: "pages > 640")
            let request = NSBatchDeleteRequest(fetchRequest: books)
            request.resultType = .resultTypeCount
            let result = try context.execute(request) as? NSBatchDeleteResult
            return ((), result?.result as? Int ?? 0, 0)
        }
    }

    // MARK: - History

    /// Saves another number of pages for each book of a store that keeps its history, in ten saves.
    static func makeHistory(of store: String) throws {
        let context = context(try opened(store, hasHistory: true))
        context.transactionAuthor = "benchmark"
        try context.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.returnsObjectsAsFaults = false
            let books = try context.fetch(request)
            let part = max(books.count / 10, 1)
            for start in stride(from: 0, to: books.count, by: part) {
                for book in books[start..<min(start + part, books.count)] { book.pages += 1 }
                try context.save()
            }
        }
    }

    static func readHistory(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            var (count, sum) = (0, 0.0)
            for change in transactions.lazy.flatMap({ $0.changes ?? [] }) {
                count += 1
                sum += Double(change.changeID) + Double(change.changeType.rawValue)
            }
            return (transactions, count, sum)
        }
    }
}
