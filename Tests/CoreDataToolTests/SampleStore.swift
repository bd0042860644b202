import CoreData
import Foundation
import TestSupport

/// A small store with values of every kind, for tests of the program.
enum SampleStore {
    /// Two authors; "Moby Dick" and a novel with a title of wide characters; one shelf.
    @discardableResult
    static func make(
        in folder: URL, type: String = NSSQLiteStoreType, named name: String = "Library.sqlite",
        options: [AnyHashable: Any]? = nil, _ more: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws -> URL {
        let url = folder.appendingPathComponent(name)
        let model = LibraryModel.make()
        // A whole file keeps no model, and no control characters in XML.
        if type != NSSQLiteStoreType {
            try ModelArchive.encode(model).write(to: folder.appendingPathComponent("Library.mom"))
        }
        let title = type == NSXMLStoreType ? "大鴉" : "大鴉\n\u{1B}[31m"
        try withStore(url, model, type: type, options: options) { context in
            let melville = context.make(
                "Author", ["name": "Melville", "joined": date(0), "active": true])
            let poe = context.make("Author", ["name": "Poe, \"Edgar\"", "active": false])
            try context.obtainPermanentIDs(for: [melville, poe])
            let whale = context.make(
                "Book",
                [
                    "title": "Moby Dick", "pages": 635, "price": NSDecimalNumber(string: "12.50"), "rating": 4.5,
                    "published": date(86_400.5), "cover": Data((0..<100).map { UInt8($0) }), "author": melville,
                    "identifier": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
                    "keywords": ["sea", "whale"] as NSArray,
                ])
            try context.obtainPermanentIDs(for: [whale])
            let raven = context.make(
                "Novel",
                ["title": title, "pages": 12, "genre": "poem", "author": poe])
            try context.obtainPermanentIDs(for: [raven])
            for number in 1...12 {
                let tag = context.make("Tag", ["name": "tag \(number)"])
                try context.obtainPermanentIDs(for: [tag])
                tag.setValue(NSSet(object: whale), forKey: "books")
            }
            try more(context)
            try context.save()
        }
        return url
    }

    static func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
}
