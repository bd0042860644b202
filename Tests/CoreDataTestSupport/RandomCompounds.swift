import TestSupport

@testable import CoreData

/// Compounds of every kind over equalities of `n`, made by chance.
enum RandomCompounds {
    static func make(_ levels: Int, key: String = "n", _ generator: inout SplitMix) -> NSPredicate {
        switch levels > 0 ? Int.random(in: 0..<7, using: &generator) : 6 {
        case 0, 1:
            return NSCompoundPredicate(notPredicateWithSubpredicate: make(levels - 1, key: key, &generator))
        case let kind where kind < 6:
            let parts = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in make(levels - 1, key: key, &generator)
            }
            return NSCompoundPredicate(type: kind < 4 ? .and : .or, subpredicates: parts)
        default:
            let sign = ["==", "!=", "<", ">="].randomElement(using: &generator) ?? "=="
            return NSPredicate(format: "%K \(sign) %d", key, Int.random(in: 0..<8, using: &generator))
        }
    }
}
