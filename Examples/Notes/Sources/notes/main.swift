import CoreData

// A notebook for the terminal:
//
//   notes add TITLE [BODY] [in FOLDER]     notes list [FOLDER]      notes search TEXT
//   notes pin NUMBER                       notes delete NUMBER      notes folders
//   notes import COUNT                     (in the background, as a download would come in)
//
// The store lies in the program's data folder, or at the path in the environment variable NOTES_STORE.

let usage =
    "usage: notes add TITLE [BODY] [in FOLDER] | list [FOLDER] | search TEXT | pin N | delete N | folders | import N"
let persistence = try PersistenceController(
    storeAt: ProcessInfo.processInfo.environment["NOTES_STORE"].map { URL(fileURLWithPath: $0) })
let context = persistence.container.viewContext

func show(_ notes: [Note]) throws {
    // Numbers are those of the whole list, so that `pin` and `delete` take what any list shows.
    let all = try context.fetch(Note.matching())
    for note in notes {
        let number = (all.firstIndex(of: note) ?? 0) + 1
        let folder = note.folder.map { " [\($0.name)]" } ?? ""
        print("\(number). \(note.isPinned ? "* " : "")\(note.title)\(folder)\(note.body.map { ": \($0)" } ?? "")")
    }
    if notes.isEmpty { print("no notes") }
}

func note(number text: String) throws -> Note {
    let all = try context.fetch(Note.matching())
    guard let number = Int(text), all.indices.contains(number - 1) else {
        print("there is no note \(text)")
        exit(1)
    }
    return all[number - 1]
}

func add(_ words: [String]) throws {
    var words = words
    let note = Note(context: context)
    if words.count >= 3, words[words.count - 2] == "in" {
        try Folder.named(words.removeLast(), in: context).addToNotes(note)
        words.removeLast()
    }
    note.title = words.first ?? ""
    note.body = words.count > 1 ? words[1] : nil
    try context.save()
    print("added \(note.title)")
}

func listFolders() throws {
    let request: NSFetchRequest<Folder> = Folder.fetchRequest()
    request.sortDescriptors = [
        NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
    ]
    request.relationshipKeyPathsForPrefetching = ["notes"]
    for folder in try context.fetch(request) { print("\(folder.name): \(folder.notes?.count ?? 0)") }
}

/// Makes notes in a background context, as if they came from elsewhere.
@MainActor
func importNotes(_ count: Int) async throws {
    try await persistence.container.performBackgroundTask { context in
        let inbox = try Folder.named("Inbox", in: context)
        for number in 0..<count {
            let note = Note(context: context)
            note.title = "Imported \(number + 1)"
            note.folder = inbox
        }
        try context.save()
    }
    print("imported \(try context.count(for: Note.matching(in: "Inbox")))")
}

var arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.popFirst(), arguments.first) {
    case ("add", _?): try add(Array(arguments))
    case ("list", let folder): try show(context.fetch(Note.matching(in: folder)))
    case ("search", let text?): try show(context.fetch(Note.matching(text)))
    case ("pin", let number?):
        try note(number: number).isPinned.toggle()
        try context.save()
    case ("delete", let number?):
        let note = try note(number: number)
        context.delete(note)
        try context.save()
        print("deleted")
    case ("folders", _): try listFolders()
    case ("import", let count?): try await importNotes(Int(count) ?? 0)
    default:
        print(usage)
        exit(64)
    }
} catch let error as NSError {
    print("error \(error.code): \(error.localizedDescription)")
    exit(1)
}
