import Foundation

/// An attribute made of several attributes. Its value is a dictionary from element name to value.
///
/// An element may be composite itself. All elements are attributes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscompositeattributedescription)
// @unchecked Sendable: see NSPropertyDescription.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    private final var storedElements: [NSAttributeDescription] = []

    /// Creates a composite attribute without elements.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscompositeattributedescription)
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The attributes that the value is made of, each with a name of its own.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscompositeattributedescription/elements)
    open var elements: [NSAttributeDescription] {
        get { storedElements }
        set {
            requireMutable()
            storedElements = newValue
        }
    }

    /// The attributes at the leaves, each once, in order, with the names that lead to them from here. They have slots
    /// in a row.
    package final var leaves: [(path: [String], attribute: NSAttributeDescription)] {
        storedElements.flatMap { element -> [(path: [String], attribute: NSAttributeDescription)] in
            guard let inner = element as? NSCompositeAttributeDescription else { return [([element.name], element)] }
            return inner.leaves.map { ([inner.name] + $0.path, $0.attribute) }
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func copyFields(to copy: NSPropertyDescription) {
        super.copyFields(to: copy)
        guard let copy = copy as? NSCompositeAttributeDescription else { return }
        copy.storedElements = storedElements.compactMap { $0.copy() as? NSAttributeDescription }
    }

    override func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSCompositeAttributeDescription, super.hasSameDescription(as: other) else {
            return false
        }
        return storedElements == other.storedElements
    }
}
