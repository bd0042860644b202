import CoreData

/// Models built in code, for tests that need more than one entity and one attribute.
public enum SampleModels {
    /// An entity for every kind of attribute and relationship, in the words of `ModelText`.
    public static let everything = """
        abstract entity Thing
          name string!
          made date
        entity Book : Thing
          pages int16
          copies int32! = 1
          sold int64
          price decimal
          weight double
          rating float
          lent bool
          cover data external
          code uuid
          link uri
          shelf one Shelf.books
          tags many Tag.books
          next one Book.previous
          previous one Book.next
          chapters ordered Chapter.book
        entity Chapter
          title string index
          book one! Book.chapters
        entity Shelf : Thing
          books many Book.shelf
        entity Tag
          word string
          books many Book.tags
          unique word
        """

    /// A library: publications with books below them, authors, tags; every kind of property, index, constraint,
    /// configuration and template.
    public static func library() -> NSManagedObjectModel {
        let publication = entity("Publication", isAbstract: true)
        let book = entity("Book")
        let author = entity("Author")
        let tag = entity("Tag")

        let title = attribute("title", .stringAttributeType)
        title.isOptional = false
        title.setValidationPredicates(
            [NSPredicate(format: "length >= 1")], withValidationWarnings: ["A title is needed"])
        title.userInfo = ["hint": "as printed"]
        let price = attribute("price", .decimalAttributeType, default: NSDecimalNumber(string: "12.345"))
        let published = attribute("published", .dateAttributeType, default: Date(timeIntervalSinceReferenceDate: 0))
        let cover = attribute("cover", .binaryDataAttributeType)
        cover.allowsExternalBinaryDataStorage = true
        let upper = NSDerivedAttributeDescription()
        upper.name = "searchTitle"
        upper.attributeType = .stringAttributeType
        upper.derivationExpression = NSExpression(format: "canonical:(title)")
        publication.properties = [title, price, published, cover, upper]

        let pages = attribute("pages", .integer32AttributeType, default: NSNumber(value: 100))
        let isbn = attribute(
            "isbn", .UUIDAttributeType, default: UUID(uuidString: "8D8AC610-566D-4EF0-9C22-186B2A5ED793"))
        isbn.preservesValueInHistoryOnDeletion = true
        let inPrint = attribute("inPrint", .booleanAttributeType, default: NSNumber(value: true))
        let rating = attribute("rating", .doubleAttributeType, default: NSNumber(value: 3.5))
        let site = attribute("site", .URIAttributeType, default: URL(string: "https://example.com/book?id=1"))
        let note = attribute("note", .stringAttributeType, default: "ünïcödé 📚")
        note.isTransient = true
        note.versionHashModifier = "2"
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.elements = [attribute("width", .doubleAttributeType), attribute("height", .doubleAttributeType)]
        let authors = relationship("authors", to: author, maxCount: 0)
        authors.isOrdered = true
        let tags = relationship("tags", to: tag, maxCount: 0)
        let sequel = relationship("sequel", to: book, maxCount: 1)
        let similar = NSFetchedPropertyDescription()
        similar.name = "similar"
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "title CONTAINS[cd] $FETCH_SOURCE.title AND pages > 10")
        similar.fetchRequest = request
        book.properties = [pages, isbn, inPrint, rating, site, note, size, authors, tags, sequel, similar]
        publication.subentities = [book]

        let name = attribute("name", .stringAttributeType)
        let books = relationship("books", to: book, maxCount: 0)
        books.deleteRule = .cascadeDeleteRule
        author.properties = [name, books]
        let label = attribute("label", .stringAttributeType)
        let tagged = relationship("tagged", to: book, maxCount: 0)
        tag.properties = [label, tagged]
        authors.inverseRelationship = books
        books.inverseRelationship = authors
        tags.inverseRelationship = tagged
        tagged.inverseRelationship = tags
        sequel.inverseRelationship = sequel

        book.uniquenessConstraints = [["isbn"], ["title", "pages"]]
        let byTitle = NSFetchIndexDescription(
            name: "byTitle",
            elements: [
                NSFetchIndexElementDescription(property: title, collationType: .binary),
                NSFetchIndexElementDescription(property: pages, collationType: .binary),
            ])
        byTitle.elements[1].isAscending = false
        byTitle.partialIndexPredicate = NSPredicate(format: "pages > 0")
        book.indexes = [byTitle]

        let model = NSManagedObjectModel()
        model.entities = [publication, book, author, tag]
        model.versionIdentifiers = ["1.0"]
        model.setEntities([tag], forConfigurationName: "Labels")
        let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        template.predicate = NSPredicate(format: "title BEGINSWITH[c] $PREFIX OR NOT (pages IN {1, 2, 3})")
        template.fetchLimit = 20
        template.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: true), NSSortDescriptor(key: "pages", ascending: false),
        ]
        model.setFetchRequestTemplate(template, forName: "booksWithPrefix")
        return model
    }

    /// An entity without properties.
    public static func entity(_ name: String, isAbstract: Bool = false) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.isAbstract = isAbstract
        return entity
    }

    /// An optional attribute.
    public static func attribute(
        _ name: String, _ type: NSAttributeType, default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.defaultValue = value
        return attribute
    }

    /// An optional relationship without inverse; `maxCount` 1 is to-one, 0 to-many.
    public static func relationship(
        _ name: String, to destination: NSEntityDescription, maxCount: Int
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = maxCount
        return relationship
    }
}
