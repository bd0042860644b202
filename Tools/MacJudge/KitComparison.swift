import MacCheckKit

/// The differences between the kit that a Mac has read and one of today. What differs is unknown to that Mac.
package enum KitComparison {
    package static func lines(_ kept: Kit, _ new: Kit) -> [String] {
        let models = kept.models.flatMap { part in
            named("model/\(part.name)", Difference.lines(part.lines, new.models.first { $0.name == part.name }?.lines))
        }
        let stores = kept.stores.flatMap { part in
            let other = new.stores.first { $0.name == part.name }
            return named(
                "read/\(part.name)",
                Difference.contents(part.contents, other?.contents) + Difference.lines(part.schema, other?.schema))
        }
        return models + stores
    }

    private static func named(_ check: String, _ lines: [String]) -> [String] { lines.map { "\(check): \($0)" } }
}
