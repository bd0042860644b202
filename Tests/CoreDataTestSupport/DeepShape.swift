import TestSupport

@testable import CoreData

/// How a predicate of many levels is made.
enum DeepShape: CaseIterable {
    /// More than a recursion over them has stack for.
    static let levels = Sample.isWhole ? 100_000 : 25_000

    /// `((a OR b) OR c) OR …`
    case chain
    /// `… OR (c OR (b OR a))`
    case tail
    /// `NOT NOT … a`
    case negations
    /// `((a AND b) OR c) AND …`
    case alternation
    /// `NOT (NOT (a AND b) AND c) …`
    case negatedLists
    /// Compounds of one part.
    case single

    /// A predicate over `key` of about `levels` levels, and whether it holds where the key is 0. Tests evaluate it for
    /// 0 only.
    func make(_ levels: Int, key: String = "n") -> (predicate: NSPredicate, holdsForZero: Bool) {
        // Few conditions, again and again: making them takes longer than all else.
        let conditions = (0..<16).map { NSPredicate(format: "%K == %d", key, $0) }
        func condition(_ value: Int) -> NSPredicate { conditions[value % conditions.count] }
        let never = NSPredicate(format: "%K == -1", key)
        let always = NSPredicate(format: "%K != -1", key)
        switch self {
        case .chain:
            return (
                (1..<levels).reduce(condition(0)) {
                    NSCompoundPredicate(orPredicateWithSubpredicates: [$0, condition($1)])
                }, true
            )
        case .tail:
            return (
                (1..<levels).reduce(condition(0)) {
                    NSCompoundPredicate(orPredicateWithSubpredicates: [condition($1), $0])
                }, true
            )
        case .negations:
            return (
                (0..<levels).reduce(condition(0)) { part, _ in
                    NSCompoundPredicate(notPredicateWithSubpredicate: part)
                }, levels % 2 == 0
            )
        case .alternation:
            return (
                (0..<levels).reduce(condition(0)) {
                    NSCompoundPredicate(
                        type: $1 % 2 == 0 ? .and : .or, subpredicates: [$0, $1 % 2 == 0 ? always : never])
                }, true
            )
        case .negatedLists:
            return (
                (0..<levels).reduce(condition(0)) { part, _ in
                    NSCompoundPredicate(
                        notPredicateWithSubpredicate: NSCompoundPredicate(andPredicateWithSubpredicates: [part, always])
                    )
                }, levels % 2 == 0
            )
        case .single:
            return (
                (0..<levels).reduce(condition(0)) { part, _ in
                    NSCompoundPredicate(andPredicateWithSubpredicates: [part])
                }, true
            )
        }
    }
}
