// A command-line program that saves up the chain from its main thread and never lets the main queue run: what a tool of
// a few lines does. Prints "saved N" when the store has the N books of the argument's folder's library.
import CoreData
import TestSupport

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
let count = try beside.performAndWait { try beside.all("Book").count }
print("saved \(count)")
