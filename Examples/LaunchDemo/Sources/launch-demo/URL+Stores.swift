import CoreData

#if PostgreSQL
import CoreDataPostgreSQL
#endif

extension URL {
    /// Where a store is: a path, or the URL of a database.
    init(ofStore text: String) {
        if text.contains("://"), let url = URL(string: text) { self = url } else { self.init(fileURLWithPath: text) }
    }

    /// The type of the store that it leads to.
    var storeType: String {
        #if PostgreSQL
        if !isFileURL { return NSPostgreSQLStoreType }
        #endif
        return NSSQLiteStoreType
    }
}
