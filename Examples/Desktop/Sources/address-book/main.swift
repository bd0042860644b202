// An address book with a window:
//
//   address-book [STORE]                    opens the window; migrates a store of the older version first
//   address-book list STORE [FAMILY-NAME]   prints the version of a store, and its contacts
//   address-book make-older STORE COUNT     makes a store of the older version

import CGtk
import CoreData
import CoreDataManager

/// Ends the program with a line on standard error.
func stop(_ text: String) -> Never {
    FileHandle.standardError.write(Data("address-book: \(text)\n".utf8))
    exit(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("list", 2...3):
        let text = arguments.count == 3 ? arguments[2] : ""
        for line in try AddressStore.lines(at: URL(fileURLWithPath: arguments[1]), matching: text) { print(line) }
    case ("make-older", 3):
        guard let count = Int(arguments[2]) else { stop("\(arguments[2]) is no number") }
        try AddressStore.makeOlder(at: URL(fileURLWithPath: arguments[1]), count: count)
    case (_, 0...1):
        if gtk_init_check() == 0 { stop("there is no display") }
        let url = arguments.first.map { URL(fileURLWithPath: $0) } ?? AddressStore.defaultURL
        AddressBook(manager: try AddressStore.manager(at: url)).run()
    default:
        stop("usage: address-book [STORE] | list STORE [FAMILY-NAME] | make-older STORE COUNT")
    }
} catch {
    stop(error.localizedDescription)
}
