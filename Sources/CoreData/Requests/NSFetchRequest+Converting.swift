import Foundation

extension NSFetchRequest {
    /// Creates a request for the same fetch that has another type of results.
    ///
    /// The new request is a copy: later changes of one request do not reach the other one. The type is the static type
    /// of the results for the compiler. The results themselves have the form that ``resultType`` says.
    ///
    /// OpenCoreData only. On a Mac any request casts to one of another result type; on Linux the cast fails.
    ///
    /// - Parameter other: The request to copy.
    public convenience init<Other>(_ other: NSFetchRequest<Other>) {
        self.init()
        take(from: other, other.fetchParameters ?? other.parameters)
    }

    /// Creates a request for the same fetch as a value that may be a request of any result type.
    ///
    /// It takes the place of `value as? NSFetchRequest<Book>`. The new request is a copy, unlike the result of a cast.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter value: A fetch request of any result type. The result is nil if the value is nil or anything else.
    public convenience init?(casting value: Any?) {
        guard let request = value as? NSPersistentStoreRequest, let parameters = request.fetchParameters else {
            return nil
        }
        self.init()
        take(from: request, parameters)
    }

    private func take(from other: NSPersistentStoreRequest, _ given: FetchParameters) {
        parameters = given
        affectedStores = other.affectedStores
    }
}
