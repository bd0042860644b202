import CoreData

// Fetches of other kinds than whole objects.
extension Library {
    static func readFaults(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of(countingHeap: true) {
            let books = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
            return (books, books.count, 0)
        }
    }

    static func readIDs(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            request.resultType = .managedObjectIDResultType
            let ids = try context.fetch(request)
            return (ids, ids.count, 0)
        }
    }

    static func readWithoutValues(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of(countingHeap: true) {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.includesPropertyValues = false
            let books = try context.fetch(request)
            return (books, books.count, 0)
        }
    }

    static func countBesideUnsaved(in context: NSManagedObjectContext) throws -> Measurement {
        let unsaved = Book(context: context)
        unsaved.fill(with: 1, title: "not saved", isbn: "n1")
        return try Measurement.of {
            var sum = 0
            for _ in 0..<Work.countings {
                // Unsaved objects are not in the store that C counts.
                sum += try context.count(for: NSFetchRequest<Book>(entityName: "Book")) - 1
            }
            return (unsaved, Work.countings, Double(sum))
        }
    }

    static func query(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            var (count, sum) = (0, 0.0)
            for index in 0..<Work.queries {
                let request = NSFetchRequest<Book>(entityName: "Book")
                let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index % 25)))
                request.predicate = NSPredicate(
                    format: "pages > %ld AND title BEGINSWITH %@", 40 + index % 1000, letter)
                request.sortDescriptors = [NSSortDescriptor(key: "published", ascending: false)]
                request.fetchLimit = 100
                request.returnsObjectsAsFaults = false
                for book in try context.fetch(request) {
                    count += 1
                    sum += book.fieldSum
                }
            }
            return ((), count, sum)
        }
    }

    static func queryByAuthor(in context: NSManagedObjectContext) throws -> Measurement {
        let authors = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        authors.resultType = .managedObjectIDResultType
        let ids = try context.fetch(authors)
        return try Measurement.of {
            var (count, sum) = (0, 0.0)
            for index in 0..<Work.authorQueries {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.predicate = NSPredicate(
                    format: "author == %@ AND pages > %ld", ids[index % ids.count], 40 + index % 1000)
                request.sortDescriptors = [NSSortDescriptor(key: "published", ascending: false)]
                request.fetchLimit = 20
                request.returnsObjectsAsFaults = false
                for book in try context.fetch(request) {
                    count += 1
                    sum += book.fieldSum
                }
            }
            return ((), count, sum)
        }
    }

    /// - Parameter format: a predicate of a word.
    static func search(
        _ words: [String], _ format: String, in context: NSManagedObjectContext
    ) throws -> Measurement {
        try Measurement.of {
            var (count, sum) = (0, 0.0)
            for word in words {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.predicate = NSPredicate(format: format, word)
                request.returnsObjectsAsFaults = false
                for book in try context.fetch(request) {
                    count += 1
                    sum += book.fieldSum
                }
            }
            return ((), count, sum)
        }
    }

    static func readAuthors(prefetching: Bool, in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.returnsObjectsAsFaults = false
            if prefetching { request.relationshipKeyPathsForPrefetching = ["author"] }
            let books = try context.fetch(request)
            var (count, sum) = (0, 0.0)
            for book in books { sum += Double(book.author?.name.utf8.count ?? 0) }
            let authorRequest = NSFetchRequest<Author>(entityName: "Author")
            if prefetching { authorRequest.relationshipKeyPathsForPrefetching = ["books"] }
            let authors = try context.fetch(authorRequest)
            for author in authors {
                let members = author.books?.count ?? 0
                // Plain C meets the authors in the books.
                if members > 0 { count += 1 }
                sum += Double(members)
            }
            return ((books, authors), count, sum)
        }
    }

    static func average(in context: NSManagedObjectContext) throws -> Measurement {
        let average = NSExpressionDescription()
        average.name = "average"
        average.expression = NSExpression(
            forFunction: "average:", arguments: [NSExpression(forKeyPath: "price")])
        average.expressionResultType = .doubleAttributeType
        return try Measurement.of {
            var (count, sum) = (0, 0.0)
            for _ in 0..<Work.averages {
                let request = NSFetchRequest<NSDictionary>(entityName: "Book")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["author", average]
                request.propertiesToGroupBy = ["author"]
                for row in try context.fetch(request) {
                    count += 1
                    sum += row["average"] as? Double ?? 0
                }
            }
            return ((), count, sum)
        }
    }

    static func tuples(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSFetchRequest<Book>(entityName: "Book")
            let rows = try context.fetch(request, properties: \.title, \.isbn, \.pages, \.price)
            var sum = 0.0
            for (title, isbn, pages, price) in rows {
                sum += Double(title.utf8.count + isbn.utf8.count) + Double(pages) + price
            }
            return (rows, rows.count, sum)
        }
    }

    static func dictionaries(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title", "isbn", "pages", "price"]
            let rows = try context.fetch(request)
            var sum = 0.0
            for row in rows {
                sum += Double((row["title"] as? String ?? "").utf8.count + (row["isbn"] as? String ?? "").utf8.count)
                sum += Double(row["pages"] as? Int ?? 0) + (row["price"] as? Double ?? 0)
            }
            return (rows, rows.count, sum)
        }
    }
}
