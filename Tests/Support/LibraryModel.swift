import CoreData

/// A model with every kind of relationship, for tests: authors, books (and novels), tags, shelves, profiles.
public enum LibraryModel {
    /// A fresh, equal model at every call.
    public static func make() -> NSManagedObjectModel {
        let author = entity("Author")
        let book = entity("Book")
        let novel = entity("Novel")
        let tag = entity("Tag")
        let shelf = entity("Shelf")
        let profile = entity("Profile")

        let authorBooks = toMany("books", book)
        let bookAuthor = toOne("author", author)
        pair(authorBooks, bookAuthor)
        authorBooks.deleteRule = .cascadeDeleteRule

        let bookTags = toMany("tags", tag)
        let tagBooks = toMany("books", book)
        pair(bookTags, tagBooks)

        let shelfItems = toMany("items", book)
        shelfItems.isOrdered = true
        let bookShelf = toOne("shelf", shelf)
        pair(shelfItems, bookShelf)

        let authorProfile = toOne("profile", profile)
        let profileAuthor = toOne("author", author)
        pair(authorProfile, profileAuthor)

        let shelfBookmarks = toMany("bookmarks", tag)

        author.properties = [
            attribute("name", .stringAttributeType, optional: false), attribute("joined", .dateAttributeType),
            attribute("active", .booleanAttributeType), authorBooks, authorProfile,
        ]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("isbn", .stringAttributeType),
            attribute("pages", .integer64AttributeType), attribute("price", .decimalAttributeType),
            attribute("published", .dateAttributeType), attribute("rating", .floatAttributeType),
            attribute("note", .stringAttributeType), attribute("cover", .binaryDataAttributeType),
            attribute("identifier", .UUIDAttributeType), attribute("link", .URIAttributeType),
            attribute("keywords", .transformableAttributeType),
            attribute("copies", .integer32AttributeType, defaultValue: 1), bookAuthor, bookTags, bookShelf,
        ]
        novel.properties = [attribute("genre", .stringAttributeType)]
        book.subentities = [novel]
        tag.properties = [attribute("name", .stringAttributeType), tagBooks]
        shelf.properties = [attribute("name", .stringAttributeType), shelfItems, shelfBookmarks]
        profile.properties = [attribute("text", .stringAttributeType), profileAuthor]

        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, tag, shelf, profile]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, defaultValue: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = defaultValue
        return attribute
    }

    private static func toOne(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = 1
        relationship.isOptional = true
        return relationship
    }

    private static func toMany(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = toOne(name, destination)
        relationship.maxCount = 0
        return relationship
    }

    private static func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}
