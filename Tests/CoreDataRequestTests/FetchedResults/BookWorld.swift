import CoreData
import TestSupport

/// Authors, books and tags that random steps change.
struct BookWorld {
    let context: NSManagedObjectContext
    var authors: [NSManagedObject] = []
    var books: [NSManagedObject] = []
    var tags: [NSManagedObject] = []
    var number = 0

    mutating func forgetLost() {
        authors.removeAll { $0.managedObjectContext == nil || $0.isDeleted }
        books.removeAll { $0.managedObjectContext == nil || $0.isDeleted }
        tags.removeAll { $0.managedObjectContext == nil || $0.isDeleted }
    }

    mutating func step(_ dice: inout SplitMix) {
        forgetLost()
        let name = String("abcdef".randomElement(using: &dice) ?? "a")
        switch Int.random(in: 0..<20, using: &dice) {
        case 0 where authors.count < 8:
            authors.append(context.make("Author", ["name": name, "active": Bool.random(using: &dice)]))
        case 1 where tags.count < 5:
            tags.append(context.make("Tag", ["name": name]))
        case 2...7:
            number += 1
            let book = context.make(
                Bool.random(using: &dice) ? "Book" : "Novel",
                [
                    "title": name, "isbn": "\(1000 + number)", "pages": Int.random(in: 0..<100, using: &dice),
                    "copies": Int.random(in: 0..<4, using: &dice),
                ])
            book.setValue(authors.randomElement(using: &dice), forKey: "author")
            books.append(book)
        case 8:
            if let book = books.randomElement(using: &dice) { context.delete(book) }
        case 9 where Int.random(in: 0..<5, using: &dice) == 0:
            if let author = authors.randomElement(using: &dice) { context.delete(author) }
        case 10:
            authors.randomElement(using: &dice)?.setValue(name, forKey: "name")
        case 11:
            authors.randomElement(using: &dice)?.setValue(Bool.random(using: &dice), forKey: "active")
        case 12:
            tags.randomElement(using: &dice)?.setValue(name, forKey: "name")
        case 13:
            books.randomElement(using: &dice)?.setValue(
                Set(tags.filter { _ in Bool.random(using: &dice) }), forKey: "tags")
        case 14:
            books.randomElement(using: &dice)?.setValue(authors.randomElement(using: &dice), forKey: "author")
        case 15:
            books.randomElement(using: &dice)?.setValue(Int.random(in: 0..<4, using: &dice), forKey: "copies")
        case 16:
            books.randomElement(using: &dice)?.setValue(name, forKey: "title")
        case 17:
            books.randomElement(using: &dice)?.setValue("note", forKey: "note")
        default:
            books.randomElement(using: &dice)?.setValue(Int.random(in: 0..<100, using: &dice), forKey: "pages")
        }
    }
}
