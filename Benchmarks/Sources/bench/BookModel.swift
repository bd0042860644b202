import CoreData

/// The schema of the workload: an author with a name has many books.
enum BookModel {
    /// - Parameter extraAttributes: how many optional string attributes the newer version of Book has gained.
    /// - Parameter pagesType: the type of the number of pages; another one makes a migration rewrite the table.
    static func make(
        extraAttributes: Int = 0, pagesType: NSAttributeType = .integer64AttributeType
    ) -> NSManagedObjectModel {
        let author = NSEntityDescription()
        author.name = "Author"
        author.managedObjectClassName = NSStringFromClass(Author.self)
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = NSStringFromClass(Book.self)

        let books = NSRelationshipDescription()
        books.name = "books"
        books.destinationEntity = book
        books.deleteRule = .cascadeDeleteRule
        books.isOptional = true
        let writer = NSRelationshipDescription()
        writer.name = "author"
        writer.destinationEntity = author
        writer.deleteRule = .nullifyDeleteRule
        writer.maxCount = 1
        writer.isOptional = true
        books.inverseRelationship = writer
        writer.inverseRelationship = books

        author.properties = [
            attribute("name", .stringAttributeType),
            attribute("joined", .dateAttributeType),
            attribute("active", .booleanAttributeType),
            books,
        ]
        let extra = (0..<extraAttributes).map { attribute("extra\($0 + 1)", .stringAttributeType, isOptional: true) }
        book.properties =
            [
                attribute("title", .stringAttributeType),
                attribute("isbn", .stringAttributeType),
                attribute("pages", pagesType),
                attribute("price", .doubleAttributeType),
                attribute("published", .dateAttributeType),
                attribute("rating", .floatAttributeType),
                attribute("note", .stringAttributeType, isOptional: true),
                writer,
            ] + extra
        book.uniquenessConstraints = [["isbn"]]

        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }
}
