import CoreData

/// A note, in a folder or in none.
public class Note: NSManagedObject, Identifiable {
    @NSManaged public var title: String
    @NSManaged public var body: String?
    @NSManaged public var createdAt: Date
    @NSManaged public var isPinned: Bool
    @NSManaged public var folder: Folder?

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        createdAt = Date()
    }
}

extension Note {
    /// Notes whose title or body holds a text, pinned ones first; all notes without a text.
    class func matching(_ text: String? = nil, in folder: String? = nil) -> NSFetchRequest<Note> {
        let request = NSFetchRequest<Note>(entityName: "Note")
        var conditions: [NSPredicate] = []
        if let text {
            conditions.append(NSPredicate(format: "title CONTAINS[cd] %@ OR body CONTAINS[cd] %@", text, text))
        }
        if let folder { conditions.append(NSPredicate(format: "folder.name ==[c] %@", folder)) }
        request.predicate = CoreData.NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
        request.sortDescriptors = [
            NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "createdAt", ascending: true),
        ]
        return request
    }
}
