import CoreData

/// An author, with the accessors that a generated class has.
final class Author: NSManagedObject {
    private enum Slots {
        static let name = ManagedSlot("name")
        static let joined = ManagedSlot("joined")
        static let active = ManagedSlot("active")
    }

    var name: String {
        get { string(Slots.name) ?? "" }
        set { set(Slots.name, string: newValue) }
    }
    var joined: Date? {
        get { date(Slots.joined) }
        set { set(Slots.joined, date: newValue) }
    }
    var active: Bool {
        get { boolean(Slots.active) ?? false }
        set { set(Slots.active, boolean: newValue) }
    }
}

/// A book, with the accessors that a generated class has.
final class Book: NSManagedObject {
    private enum Slots {
        static let title = ManagedSlot("title")
        static let isbn = ManagedSlot("isbn")
        static let pages = ManagedSlot("pages")
        static let price = ManagedSlot("price")
        static let published = ManagedSlot("published")
        static let rating = ManagedSlot("rating")
        static let note = ManagedSlot("note")
        static let author = ManagedSlot("author")
    }

    var title: String {
        get { string(Slots.title) ?? "" }
        set { set(Slots.title, string: newValue) }
    }
    var isbn: String {
        get { string(Slots.isbn) ?? "" }
        set { set(Slots.isbn, string: newValue) }
    }
    var pages: Int64 {
        get { integer(Slots.pages) ?? 0 }
        set { set(Slots.pages, integer: newValue) }
    }
    var price: Double {
        get { double(Slots.price) ?? 0 }
        set { set(Slots.price, double: newValue) }
    }
    var published: Date? {
        get { date(Slots.published) }
        set { set(Slots.published, date: newValue) }
    }
    var rating: Float {
        get { Float(double(Slots.rating) ?? 0) }
        set { set(Slots.rating, double: Double(newValue)) }
    }
    var note: String? {
        get { string(Slots.note) }
        set { set(Slots.note, string: newValue) }
    }
    var author: Author? {
        get { toOne(Slots.author) as? Author }
        set { set(Slots.author, toOne: newValue) }
    }

    /// Reads every property once, and sums what it read as the C baseline does.
    var fieldSum: Double {
        var sum = Double(pages) + price + (published?.timeIntervalSinceReferenceDate ?? 0) + Double(rating)
        sum += Double(title.utf8.count + isbn.utf8.count)
        sum += Double(note?.utf8.count ?? 0)
        sum += author == nil ? 0 : 1
        return sum
    }
}
