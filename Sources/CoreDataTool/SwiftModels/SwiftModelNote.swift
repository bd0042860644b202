/// Something of a model that classes of SwiftData do not have.
struct SwiftModelNote {
    /// The entity, or the entity and the property: `Book.title`.
    let place: String
    let reason: String
    /// Whether the classes have another version hash because of it, so that they do not open the store.
    let changesHash: Bool

    init(_ place: String, _ reason: String, changesHash: Bool) {
        (self.place, self.reason, self.changesHash) = (place, reason, changesHash)
    }

    /// The line above the declaration.
    var comment: String {
        let name = place.split(separator: ".").last ?? ""
        return Table.onOneLine("// \(changesHash ? "Not as in the store" : "Note"): \(name): \(reason).")
    }
}
