/// The inverses that the models of a file name.
///
/// A message of the compiler has one class. The process serves all files of one call of the compiler, so it can compare
/// a class with those before it.
enum NamedInverses {
    struct Relationship: Hashable {
        /// The declarations around the class: classes of several versions of a schema have one name.
        let surroundings: [String]
        let type: String
        let property: String

        var text: String { "\(type).\(property)" }
    }

    // The process answers one message at a time.
    nonisolated(unsafe) private static var known: [Relationship: (inverse: Relationship, place: SourcePlace)] = [:]

    /// Notes the inverse of a relationship, and returns the place where that one names this.
    static func note(_ relationship: Relationship, inverse: Relationship, at place: SourcePlace) -> SourcePlace? {
        known[relationship] = (inverse, place)
        guard let other = known[inverse], other.inverse == relationship, other.place.file == place.file else {
            return nil
        }
        return other.place
    }
}
