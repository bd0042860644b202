import CoreData

/// Brings the lines of a file into a store, slice by slice.
///
/// A slice is one batch insertion, and so one transaction: all of its lines are in the store, or none. Run an import
/// again that was stopped: existing rows stay as they are.
struct StockImport {
    struct Counts {
        var (new, changed, unchanged) = (0, 0, 0)

        var lines: Int { new + changed + unchanged }
    }

    let context: NSManagedObjectContext
    let sliceLength: Int
    private(set) var counts = Counts()
    /// The line where each number was first: a number that comes twice is a mistake.
    private var places: [String: Int] = [:]

    init(into container: NSPersistentContainer, sliceLength: Int) {
        context = container.newBackgroundContext()
        // The values of a line replace those of the item with the same number. Without this it would be an error.
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        self.sliceLength = sliceLength
    }

    /// - Parameter progress: is called after each slice.
    mutating func run(_ file: FileHandle, progress: (Counts) -> Void) throws {
        var reader = try CSVReader(file)
        guard let header = try reader.next() else { throw Mistake(line: 1, column: 1, text: "the file is empty") }
        try check(header)
        var slice: [ItemLine] = []
        while let record = try reader.next() {
            guard record.count == header.count else {
                throw record[0].mistake("\(record.count) values, and the first line names \(header.count)")
            }
            let line = try ItemLine(Dictionary(uniqueKeysWithValues: zip(header.map(\.text), record)))
            if let place = places.updateValue(line.line, forKey: line.sku) {
                throw record[0].mistake("sku: \"\(line.sku)\" was in line \(place) already")
            }
            slice.append(line)
            if slice.count == sliceLength {
                try insert(slice)
                progress(counts)
                slice = []
            }
        }
        try insert(slice)
    }

    private func check(_ header: [CSVReader.Value]) throws {
        for (index, column) in header.enumerated() {
            guard ItemLine.columns.contains(column.text) else {
                let names = ItemLine.columns.joined(separator: ", ")
                throw column.mistake("\"\(column.text)\" is no column; the columns are \(names)")
            }
            if header[..<index].contains(where: { $0.text == column.text }) {
                throw column.mistake("the column \(column.text) is there twice")
            }
        }
        for name in ItemLine.columns where !header.contains(where: { $0.text == name }) {
            throw header[0].mistake("the column \(name) is missing")
        }
    }

    private mutating func insert(_ slice: [ItemLine]) throws {
        counts = try context.performAndWait {
            var counts = counts
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.predicate = NSPredicate(format: "sku IN %@", slice.map(\.sku))
            let found = try context.fetch(request)
            let items = Dictionary(uniqueKeysWithValues: found.map { ($0.sku, $0) })
            let wanted = slice.filter { line in items[line.sku].map { !line.equals($0) } ?? true }
            var rest = wanted.makeIterator()
            let insertion = NSBatchInsertRequest(entityName: "Item") { (object: NSManagedObject) in
                guard let line = rest.next(), let item = object as? Item else { return true }
                line.fill(item)
                return false
            }
            if !wanted.isEmpty { _ = try context.execute(insertion) }
            counts.unchanged += slice.count - wanted.count
            counts.changed += found.count - (slice.count - wanted.count)
            counts.new += slice.count - found.count
            // The items of this slice need no memory any more.
            context.reset()
            return counts
        }
    }
}
