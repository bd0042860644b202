import Catalogue
import CoreData
import Shelves

func check(_ condition: Bool, _ what: String) {
    guard condition else { fatalError("failed: \(what)") }
}

let container = NSPersistentContainer(name: "Catalogue")
container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
container.loadPersistentStores { _, error in
    if let error { fatalError("\(error)") }
}
let merged = NSManagedObjectModel.mergedModel(from: nil)
check(merged?.entitiesByName["Book"] != nil, "mergedModel(from: nil) finds the model of the package")

let context = container.viewContext
let author = Author(context: context)
author.name = "Ann"
author.prizes = 3
author.score = 4.5
author.born = Date(timeIntervalSinceReferenceDate: 0)
let book = Book(context: context)
check(book.title == nil && book.pages == nil && book.language == nil, "a new book is empty")
book.title = "Sea"
book.title? += "s"
book.pages = 12
book.colour = .blue
book.language = .welsh
book.keywords = ["a", "b"]
book.word = "hush"
book.author = author
let tag = Tag(context: context)
tag.name = "t"
book.addToTags(tag)
book.addToTags(NSSet(object: Tag(context: context)))
let novel = Novel(context: context)
novel.title = "Tale"
novel.genre = "crime"
author.addToBooks(novel)
let shelf = Shelf(context: context)
shelf.addToItems(NSOrderedSet(array: [book]))
shelf.insertIntoItems(novel, at: 0)
try context.save()
context.reset()

let books = try context.fetch(Book.fetchRequest()).sorted { ($0.title ?? "") < ($1.title ?? "") }
check(books.map(\.title) == ["Seas", "Tale"], "both books are there")
let first = books[0]
check(first.pages == 12 && first.colour == .blue && first.language == .welsh, "scalars")
check(first.keywords == ["a", "b"] && first.word == "hush", "transformable and private")
check(first.author?.name == "Ann" && first.author?.prizes == 3 && first.author?.score == 4.5, "author")
check(first.tags?.count == 2 && first.author?.books?.count == 2, "to-many")
let novels: [Novel] = try context.fetch(Novel.fetchRequest())
check(novels.first?.genre == "crime" && novels.count == 1, "novel")
check(first.shelf?.items?.array as? [Book] == [novels[0], first], "order")
first.shelf?.removeFromItems(at: 0)
check(first.shelf?.count == 1 && novels[0].shelf == nil, "removed")
first.shelf?.replaceItems(at: 0, with: novels[0])
check(first.shelf == nil && novels[0].shelf?.count == 1, "replaced")
first[keyPath: \Book.title] = "Keyed"
check(first.value(forKey: "title") as? String == "Keyed", "key path")
check((\Book.pages).managedKeyPath == "pages" && (\Book.colour).managedKeyPath == "colour", "names of key paths")
check((\Book.shelf?.room).managedKeyPath == "shelf.room" && (\Book.tags?.count).managedKeyPath == nil, "chains")
let found: NSFetchRequest<Book> = Book.fetchRequest()
found.predicate = NSPredicate(#Predicate<Book> { $0.author?.name == "Ann" && $0.title?.starts(with: "K") == true })
found.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Book.author?.name))]
check(try context.fetch(found) == [first], "Swift's predicates and sort descriptors")
let general: NSFetchRequest<any NSFetchRequestResult> = Book.fetchRequest()
check(general.entityName == "Book" && Novel.entity().name == "Novel" && Shelf.entity().name == "Shelf", "entities")
let request = Book.fetchRequest() as NSFetchRequest<Book>
check(request.entityName == "Book", "cast")
print("all is well")
