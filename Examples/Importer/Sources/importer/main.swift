import CoreData

#if PostgreSQL
import CoreDataPostgreSQL
#endif

// Brings a price list into a store, and shows what is there:
//
//   importer import STORE FILE [SLICE]     FILE is comma-separated, - is standard input; SLICE is lines at a time
//   importer list STORE [PREDICATE]
//
// STORE is a file, or the address of a PostgreSQL database where the program was built with that trait. The result goes
// to standard output, progress and mistakes to standard error. The status is 65 where the file is wrong.

let usage = "usage: importer import STORE FILE [SLICE] | list STORE [PREDICATE]"

func stop(_ status: Int32, _ message: String) -> Never {
    say(message)
    exit(status)
}

func say(_ message: String) { FileHandle.standardError.write(Data("\(message)\n".utf8)) }

func open(_ store: String) -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Stock")
    let url = store.contains("://") ? URL(string: store) : URL(fileURLWithPath: store)
    guard let url else { stop(64, usage) }
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { _, error in
        if let error { stop(1, "importer: the store cannot be opened: \(error.localizedDescription)") }
    }
    return container
}

func importFile(_ name: String, into store: String, sliceLength: Int) throws {
    guard let file = name == "-" ? .standardInput : FileHandle(forReadingAtPath: name) else {
        stop(66, "importer: \(name) cannot be read")
    }
    var work = StockImport(into: open(store), sliceLength: sliceLength)
    do {
        try work.run(file) { say("importer: \($0.lines) lines") }
    } catch let mistake as Mistake {
        say("\(name):\(mistake)")
        stop(65, "importer: \(work.counts.lines) lines before it are in the store; correct the file and run it again")
    }
    let counts = work.counts
    print("\(counts.new) new, \(counts.changed) changed, \(counts.unchanged) unchanged")
}

/// Prints the items as a file that can be imported again.
func list(_ store: String, where text: String?) throws {
    let request = NSFetchRequest<Item>(entityName: "Item")
    // It throws where the text is no predicate; NSPredicate(format:) would stop the program.
    request.predicate = try text.map { try NSPredicate.parse(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "sku", ascending: true)]
    // The objects of one batch are in memory, however many there are.
    let items = try open(store).viewContext.fetch(request, batchSize: 500)
    print(ItemLine.columns.joined(separator: ","))
    for item in items { print(ItemLine.text(of: item)) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("import", 3): try importFile(arguments[2], into: arguments[1], sliceLength: 1_000)
    case ("import", 4):
        guard let length = Int(arguments[3]), length > 0 else { stop(64, usage) }
        try importFile(arguments[2], into: arguments[1], sliceLength: length)
    case ("list", 2): try list(arguments[1], where: nil)
    case ("list", 3): try list(arguments[1], where: arguments[2])
    default: stop(64, usage)
    }
} catch let error as PredicateParseError {
    stop(64, "importer: \(error)")
} catch {
    stop(1, "importer: \(error.localizedDescription)")
}
