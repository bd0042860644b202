// A program may join thousands of conditions two by two, so that compounds are nested thousands of levels deep. Code
// that walks such a tree keeps its place in an array, because the stack of a thread overflows after some thousands of
// calls.

extension NSCompoundPredicate {
    /// The number of levels that are walked by recursive calls, which is faster for predicates of usual depth.
    static let shallowHeight = 100

    /// Whether the combination holds. Parts are evaluated in order, and only as far as needed.
    func combines(_ context: EvaluationContext) -> Bool {
        if height > Self.shallowHeight { return combinesDeep(context) }
        return switch compoundPredicateType {
        case .not: !parts[0].matches(context)
        case .and: parts.allSatisfy { $0.matches(context) }
        case .or: parts.contains { $0.matches(context) }
        }
    }

    private func combinesDeep(_ context: EvaluationContext) -> Bool {
        var open = [(compound: self, next: 0)]
        // The result of the last part.
        var answer = false
        while let (compound, next) = open.popLast() {
            let type = compound.compoundPredicateType
            if next == compound.parts.count || next > 0 && answer == (type == .or) && type != .not {
                // All parts were evaluated, or the last one decided.
                if type == .not { answer.toggle() } else if next == 0 { answer = type == .and }
                continue
            }
            open.append((compound, next + 1))
            if let inner = compound.parts[next] as? NSCompoundPredicate {
                open.append((inner, 0))
            } else {
                answer = compound.parts[next].matches(context)
            }
        }
        return answer
    }

    /// The text of the combination.
    var printedCombination: String {
        enum Piece {
            case text(String)
            case predicate(NSPredicate)
        }
        var text = ""
        var pieces: [Piece] = []
        func push(asPart predicate: NSPredicate) {
            // A part that is a compound is put in parentheses, even one of a single part.
            let isCompound = predicate is NSCompoundPredicate
            if isCompound { pieces.append(.text(")")) }
            pieces.append(.predicate(predicate))
            if isCompound { pieces.append(.text("(")) }
        }
        func push(combination compound: NSCompoundPredicate) {
            let parts = compound.parts
            switch compound.compoundPredicateType {
            case .not:
                push(asPart: parts[0])
                pieces.append(.text("NOT "))
            case .and, .or:
                let isAnd = compound.compoundPredicateType == .and
                if parts.isEmpty {
                    text += isAnd ? "TRUEPREDICATE" : "FALSEPREDICATE"
                    return
                }
                if parts.count == 1 { return pieces.append(.predicate(parts[0])) }
                for (place, part) in parts.enumerated().reversed() {
                    push(asPart: part)
                    if place > 0 { pieces.append(.text(isAnd ? " AND " : " OR ")) }
                }
            }
        }
        // The parser accepts a chain of any length, but only a limited number of nested parentheses.
        let chained = height > PredicateParser.depthLimit / 2 ? drawnTogether : self
        guard let combination = chained as? NSCompoundPredicate else { return chained.printed }
        push(combination: combination)
        while let piece = pieces.popLast() {
            switch piece {
            case .text(let piece): text += piece
            case .predicate(let part):
                if let compound = part as? NSCompoundPredicate, type(of: compound) == NSCompoundPredicate.self {
                    push(combination: compound)
                } else {
                    text += part.printed
                }
            }
        }
        return text
    }

    /// Whether two combinations have equal parts in the same order.
    func isSameCombination(as other: NSCompoundPredicate) -> Bool {
        var pairs: [(NSPredicate, NSPredicate)] = [(self, other)]
        while let (a, b) = pairs.popLast() {
            guard a !== b else { continue }
            guard let a = a as? NSCompoundPredicate, let b = b as? NSCompoundPredicate else {
                guard a == b else { return false }
                continue
            }
            guard a.compoundPredicateType == b.compoundPredicateType, a.height == b.height,
                a.parts.count == b.parts.count
            else { return false }
            pairs += zip(a.parts, b.parts)
        }
        return true
    }

    /// Hashes the types of the compounds and the parts that are no compounds.
    func hashCombination(into hasher: inout Hasher) {
        var pending: [NSPredicate] = [self]
        while let next = pending.popLast() {
            if let compound = next as? NSCompoundPredicate {
                hasher.combine(compound.compoundPredicateType)
                pending += compound.parts
            } else if case .constant(let value) = next.form {
                // Foundation's constant predicates hash by identity although they are equal by value.
                hasher.combine(value)
            } else {
                hasher.combine(next)
            }
        }
    }

    /// Releases the parts one by one, so that the deinitialisers of a deep tree are not nested.
    static func release(_ parts: inout [NSPredicate]) {
        var pending = parts.compactMap { $0 as? NSCompoundPredicate }
        parts = []
        while !pending.isEmpty {
            let last = pending.count - 1
            if pending[last].height > shallowHeight, isKnownUniquelyReferenced(&pending[last]) {
                let inner = pending[last].takeParts()
                pending.removeLast()
                for case let compound as NSCompoundPredicate in inner { pending.append(compound) }
            } else {
                pending.removeLast()
            }
        }
    }
}

extension NSPredicate {
    /// The parts of all compounds that are no compounds themselves, in order.
    func forEachSimplePart(_ body: (NSPredicate) -> Void) {
        var pending = [self]
        while let next = pending.popLast() {
            if let compound = next as? NSCompoundPredicate {
                pending += compound.parts.reversed()
            } else {
                body(next)
            }
        }
    }

    /// The predicate with every part that is no compound passed through `change`. Compounds whose parts stay are
    /// shared.
    func mappingSimpleParts(_ change: (NSPredicate) -> NSPredicate) -> NSPredicate {
        guard let compound = self as? NSCompoundPredicate else { return change(self) }
        var open: [(compound: NSCompoundPredicate, changed: [NSPredicate])] = [(compound, [])]
        while true {
            let last = open.count - 1
            let (compound, changed) = (open[last].compound, open[last].changed.count)
            if changed < compound.parts.count {
                if let inner = compound.parts[changed] as? NSCompoundPredicate {
                    open.append((inner, []))
                } else {
                    open[last].changed.append(change(compound.parts[changed]))
                }
                continue
            }
            let parts = open.removeLast().changed
            let isSame = zip(parts, compound.parts).allSatisfy { $0 === $1 }
            let result =
                isSame ? compound : NSCompoundPredicate(type: compound.compoundPredicateType, subpredicates: parts)
            guard let outer = open.indices.last else { return result }
            open[outer].changed.append(result)
        }
    }

    /// An equivalent predicate with as few levels as possible: `(a OR b) OR c` becomes one list, a compound of one part
    /// becomes that part, and two NOTs cancel out.
    package var drawnTogether: NSPredicate {
        let unwrapped = unwrapped
        guard let compound = unwrapped as? NSCompoundPredicate else { return unwrapped }
        var open: [(type: NSCompoundPredicate.LogicalType, rest: [NSPredicate], parts: [NSPredicate])] = []
        func enter(_ compound: NSCompoundPredicate) {
            open.append((compound.compoundPredicateType, compound.parts.reversed(), []))
        }
        enter(compound)
        while true {
            let last = open.count - 1
            guard let part = open[last].rest.popLast()?.unwrapped else {
                let (type, _, parts) = open.removeLast()
                let result = NSCompoundPredicate(type: type, subpredicates: parts)
                guard let outer = open.indices.last else { return result }
                open[outer].parts.append(result)
                continue
            }
            guard let inner = part as? NSCompoundPredicate else {
                open[last].parts.append(part)
                continue
            }
            if inner.compoundPredicateType == open[last].type, inner.compoundPredicateType != .not {
                open[last].rest += inner.parts.reversed()
            } else {
                enter(inner)
            }
        }
    }

    /// The predicate without compounds of one part and pairs of NOTs around it.
    private var unwrapped: NSPredicate {
        var result = self
        // The number of NOTs around `result`, and the last predicate around which it was even.
        var isNegated = false
        var even = self
        while let compound = result as? NSCompoundPredicate, compound.parts.count == 1 {
            if compound.compoundPredicateType == .not { isNegated.toggle() }
            result = compound.parts[0]
            if !isNegated { even = result }
        }
        guard isNegated else { return result }
        // One NOT is left: the one next to the last even place.
        var negation = even
        while let compound = negation as? NSCompoundPredicate, compound.compoundPredicateType != .not {
            negation = compound.parts[0]
        }
        guard let outer = negation as? NSCompoundPredicate, outer.parts[0] !== result else { return negation }
        return NSCompoundPredicate(notPredicateWithSubpredicate: result)
    }
}
