import CoreData

/// A folder of notes; its name is unique.
public class Folder: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged public var notes: Set<Note>?
    @NSManaged public func addToNotes(_ value: Note)
}

extension Folder {
    /// The folder of that name, made if there is none.
    class func named(_ name: String, in context: NSManagedObjectContext) throws -> Folder {
        let request: NSFetchRequest<Folder> = Folder.fetchRequest()
        request.predicate = NSPredicate(format: "name ==[c] %@", name)
        request.fetchLimit = 1
        if let folder = try context.fetch(request).first { return folder }
        let folder = Folder(context: context)
        folder.name = name
        return folder
    }
}
