import CoreData
import Testing

// Code of ComingFromAMac.md. Some of its blocks are those of Porting.md, in DocumentSnippets.swift.
@Suite("Code of Coming from a Mac")
struct ComingFromAMacSnippets {
    // snippet: a transformer of one's own
    final class TagsTransformer: ValueTransformer {
        override class func transformedValueClass() -> AnyClass { NSData.self }

        override func transformedValue(_ value: Any?) -> Any? {  // before a save: the value to data
            (value as? [String]).map { Data($0.joined(separator: "\n").utf8) }
        }

        override func reverseTransformedValue(_ value: Any?) -> Any? {  // after a fetch: data to the value
            (value as? Data).map { String(decoding: $0, as: UTF8.self).components(separatedBy: "\n") }
        }
    }
    // snippet end

    static func register() {
        // snippet: a registered transformer
        ValueTransformer.setValueTransformer(TagsTransformer(), forName: NSValueTransformerName("TagsTransformer"))
        // snippet end
    }

    @Test("A registered transformer is found by its name")
    func transformer() {
        Self.register()
        let transformer = ValueTransformer(forName: NSValueTransformerName("TagsTransformer"))
        let data = transformer?.transformedValue(["a", "b"])
        #expect(data as? Data == Data("a\nb".utf8))
        #expect(transformer?.reverseTransformedValue(data) as? [String] == ["a", "b"])
    }

    static func requests(author: NSManagedObject?) -> [NSFetchRequest<NSManagedObject>] {
        // snippet: missing values in predicates
        let others = NSFetchRequest<NSManagedObject>(entityName: "Book")
        others.predicate = NSPredicate(format: "pages != 100 OR pages == nil")
        let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
        books.predicate = NSPredicate(format: "author == %@", author)  // an optional: nil finds books without author
        // snippet end
        return [others, books]
    }

    @Test("A predicate takes nil for a missing value")
    func missing() {
        #expect(Self.requests(author: nil)[1].predicate?.description == "author == nil")
    }

    static func names(author: NSManagedObject) -> (Any?, Any?) {
        // snippet: key paths through relationships
        let titles = author.value(forKeyPath: "books.title") as? [String]
        let total = author.value(forKeyPath: "books.@sum.pages") as? Int
        // snippet end
        return (titles, total)
    }

    static func observe(
        context: NSManagedObjectContext, refresh: @escaping @Sendable () -> Void
    ) -> any NSObjectProtocol {
        // snippet: an observer without a queue
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in refresh() }
        // snippet end
        return observer
    }
}
