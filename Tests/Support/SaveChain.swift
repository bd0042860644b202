import CoreData

/// The commonest save chain, from wherever it is called: a private child's `performAndWait { save }` into the main
/// context and on to the private root. Returns how many of its hundred books the store has afterwards.
public func saveUpTheChain() throws -> Int {
    let library = try Library()
    let root = library.context()
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.parent = root
    let child = library.child(of: main)
    try child.performAndWait {
        for number in 0..<100 { child.make("Book", ["title": "\(number)"]) }
        try child.save()
        try main.performAndWait {
            try main.save()
            try root.performAndWait { try root.save() }
        }
    }
    let beside = library.context()
    return try beside.performAndWait { try beside.all("Book").count }
}
