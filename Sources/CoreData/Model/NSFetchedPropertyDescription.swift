import Foundation

/// A property whose value is the result of a fetch request. The request runs when the value is first read.
///
/// The predicate may use `$FETCH_SOURCE`, the object, and `$FETCHED_PROPERTY`, this description. The property is
/// optional, transient and read-only.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedpropertydescription)
// @unchecked Sendable: see NSPropertyDescription; the fetch request is not changed once the model is frozen.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    private final var storedFetchRequest: NSFetchRequest<NSFetchRequestResult>?

    /// Creates a fetched property without a request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedpropertydescription)
    public override init() {
        super.init()
        isTransient = true
        isReadOnly = true
    }

    /// The request that gives the value. Changing it stops the process once the model is in use.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedpropertydescription/fetchrequest)
    open var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        get { storedFetchRequest }
        set {
            requireMutable()
            storedFetchRequest = newValue
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func copyFields(to copy: NSPropertyDescription) {
        super.copyFields(to: copy)
        guard let copy = copy as? NSFetchedPropertyDescription else { return }
        // The entity is copied by name only, because the copy's model must not refer to an entity of the original's
        // model.
        let request = storedFetchRequest?.copy() as? NSFetchRequest<NSFetchRequestResult>
        let copied: (any ModelRequest)? = request
        copied?.parameters.givenEntityName = storedFetchRequest?.entityName
        copied?.parameters.entity = nil
        copy.storedFetchRequest = request
    }

    override func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSFetchedPropertyDescription, super.hasSameDescription(as: other) else {
            return false
        }
        return sameValue(storedFetchRequest, other.storedFetchRequest)
    }
}
