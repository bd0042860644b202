import CoreData

// An address book for the terminal, without a model file:
//
//   contacts add NAME EMAIL CITY [NUMBER]...     contacts list     contacts find TEXT
//   contacts cities                              contacts remove EMAIL
//
// The store lies in the program's data folder, or at the path in the environment variable CONTACTS_STORE.

let usage = "usage: contacts add NAME EMAIL CITY [NUMBER]... | list | find TEXT | cities | remove EMAIL"
let container = NSPersistentContainer(name: "Contacts", managedObjectModel: ContactModel.shared)
if let path = ProcessInfo.processInfo.environment["CONTACTS_STORE"] {
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: path))]
}
container.loadPersistentStores { description, error in
    guard let error else { return }
    print("the store at \(description.url?.path ?? "?") cannot be opened: \(error.localizedDescription)")
    exit(1)
}
let context = container.viewContext

func people(_ format: String? = nil, _ text: String = "") throws -> [Person] {
    let request: NSFetchRequest<Person> = Person.fetchRequest()
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: [text, text]) }
    request.sortDescriptors = [
        NSSortDescriptor(key: "name", ascending: true, selector: .localizedCaseInsensitiveCompare)
    ]
    return try context.fetch(request)
}

func show(_ people: [Person]) {
    for person in people {
        let numbers = person.numbers?.array.compactMap { ($0 as? PhoneNumber)?.digits } ?? []
        print(([person.name, person.email] + [person.city].compactMap { $0 } + numbers).joined(separator: ", "))
    }
    if people.isEmpty { print("nobody") }
}

func add(_ words: [String]) throws {
    let person = Person(context: context)
    (person.name, person.email, person.city) = (words[0], words[1], words[2])
    for digits in words[3...] {
        let number = PhoneNumber(context: context)
        number.digits = digits
        person.addToNumbers(number)
    }
    try context.save()
    print("added \(person.name)")
}

/// Prints the number of people in each city, counted by the store.
func showCities() throws {
    let count = CoreData.NSExpression(forFunction: "count:", arguments: [CoreData.NSExpression(forKeyPath: "name")])
    let counted = NSExpressionDescription()
    counted.name = "people"
    counted.expression = count
    counted.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    request.propertiesToGroupBy = ["city"]
    request.propertiesToFetch = ["city", counted]
    request.sortDescriptors = [NSSortDescriptor(key: "city", ascending: true)]
    for row in try context.fetch(request) { print("\(row["city"] ?? "?"): \(row["people"] ?? 0)") }
}

var arguments = Array(CommandLine.arguments.dropFirst())
let command = arguments.isEmpty ? "" : arguments.removeFirst()
do {
    switch (command, arguments.count) {
    case ("add", 3...): try add(arguments)
    case ("list", 0): show(try people())
    case ("find", 1): show(try people("name CONTAINS[cd] %@ OR ANY numbers.digits BEGINSWITH %@", arguments[0]))
    case ("cities", 0): try showCities()
    case ("remove", 1):
        let found = try people("email == %@", arguments[0])
        found.forEach(context.delete)
        try context.save()
        print("removed \(found.count)")
    default:
        print(usage)
        exit(64)
    }
} catch let error as NSError {
    // 1550 and its neighbours: validation. 133021: another person has the address.
    print("error \(error.code): \(error.localizedDescription)")
    exit(1)
}
