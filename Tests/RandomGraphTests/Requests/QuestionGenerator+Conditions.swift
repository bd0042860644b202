extension QuestionGenerator {
    /// Where a condition stands.
    struct Place {
        let scope: QuestionScope
        let base: Base
        /// How many subqueries stand around it.
        let level: Int
        /// The entity of the rows that are fetched.
        let row: QuestionScope

        init(_ scope: QuestionScope) { (self.scope, base, level, row) = (scope, .row, 0, scope) }

        /// Within a subquery.
        init(_ scope: QuestionScope, within outer: Place) {
            (self.scope, base, level, row) = (scope, .variable(outer.level), outer.level + 1, outer.row)
        }

        func path(_ path: QuestionScope.Path) -> Operand { .path(path.keys, of: base) }
    }

    /// - Parameter isPlain: whether every store can decide it, and it is short.
    mutating func condition(_ place: Place, depth: Int, isPlain: Bool = false) -> Condition {
        if depth > 0 {
            switch number(below: 4) {
            case 0: return .not(condition(place, depth: depth - 1))
            case 1: return .and(parts(place, depth))
            case 2: return .or(parts(place, depth))
            default: break
            }
        }
        if isPlain { return single(place) }
        if one(in: 40) { return .constant(one(in: 2)) }
        switch number(below: 26) {
        case 0...7: return single(place)
        case 8...10:
            let path = pick(place.scope.many)
            return comparison(place.path(path), path.kind, pick([.any, .any, .all, .none]))
        case 11: return count(place)
        case 12, 13: return aggregate(place)
        case 14, 15: return place.level < 2 ? subquery(place) : single(place)
        case 16, 17: return objects(place)
        case 18: return texts(place)
        case 19, 20: return list(place)
        case 21: return membership(place)
        case 22: return choice(place)
        case 23:
            let path = pick(place.scope.toManys)
            return .comparison(
                .direct, .path(path.keys, of: place.base), pick([.equal, .notEqual]), .exact, .constant(.none))
        case 24: return one(in: 3) ? refused(place) : single(place)
        default: return row(place)
        }
    }

    private mutating func parts(_ place: Place, _ depth: Int) -> [Condition] {
        (0..<(2 + number(below: 2))).map { _ in condition(place, depth: depth - 1) }
    }

    // MARK: Values of one object

    private mutating func single(_ place: Place) -> Condition {
        let path = pick(place.scope.single)
        var (left, kind) = (place.path(path), path.kind)
        switch kind {
        case .text where one(in: 8):
            let function = pick([Operand.Function.uppercase, .lowercase, .canonical, .length, .noindex])
            left = .call(function, left)
            if function == .length { kind = .whole }
        case .whole, .real, .decimal: if one(in: 3) { (left, kind) = number(left, kind, place) }
        case .date where one(in: 8): return comparison(.seconds(left), .whole, .direct)
        case .date where one(in: 12): return .comparison(.direct, left, pick([.less, .greaterOrEqual]), .exact, .now)
        default: break
        }
        if one(in: place.level > 0 ? 3 : 6), let right = sameKind(kind, place) {
            let isText = kind == .text
            let relation = pick([Condition.Relation.equal, .notEqual, .less, .greater, .lessOrEqual, .greaterOrEqual])
            return .comparison(.direct, left, relation, isText && one(in: 2) ? pick([.c, .cd]) : .exact, right)
        }
        return comparison(left, kind, .direct)
    }

    /// Another value of the object, or of the row around its subquery.
    private mutating func sameKind(_ kind: Kind, _ place: Place) -> Operand? {
        let isOfRow = place.level > 0 && one(in: 2)
        let paths = (isOfRow ? place.row : place.scope).single.filter {
            kind.isNumber ? $0.kind.isNumber : $0.kind == kind
        }
        if paths.isEmpty { return nil }
        return .path(pick(paths).keys, of: isOfRow ? .row : place.base)
    }

    /// A number computed of one.
    private mutating func number(_ value: Operand, _ kind: Kind, _ place: Place) -> (Operand, Kind) {
        func computed(_ sign: Operand.Arithmetic, _ other: Double) -> Operand {
            .arithmetic(value, sign, .constant(.number(other)))
        }
        if kind == .decimal { return (computed(pick([.plus, .minus, .times]), pick([2, 0.5, -1])), .real) }
        if kind == .real {
            switch number(below: 5) {
            case 0: return (.call(pick([.abs, .ceiling, .floor, .trunc]), value), .real)
            case 1: return (computed(.divided, pick([2, 0.5])), .real)
            default: return (computed(pick([.plus, .minus, .times]), pick([2, 0.5, -1])), .real)
            }
        }
        switch number(below: 9) {
        case 0: return (.call(pick([.abs, .ceiling, .onesComplement]), value), .whole)
        case 1: return (.call(.sqrt, .arithmetic(value, .times, value)), .real)
        case 2: return (computed(.divided, pick([2, 3, -2, 0])), .whole)
        case 3: return (computed(.power, pick([2, 3, 0])), .whole)
        case 4: return (computed(pick([.and, .or]), pick([1, 2, 3])), .whole)
        case 5: return (computed(pick([.left, .right]), pick([1, 2])), .whole)
        case 6: return (computed(.modulus, pick([2, 3, 0])), .whole)
        default:
            let others = place.scope.single.filter { $0.kind == .whole }
            let other = one(in: 2) ? place.path(pick(others)) : .constant(constant(.whole))
            return (.arithmetic(value, pick([.plus, .minus, .times]), other), .whole)
        }
    }

    private mutating func choice(_ place: Place) -> Condition {
        let path = pick(place.scope.single.filter { $0.kind == .text || $0.kind == .whole })
        let test = condition(place, depth: number(below: 2), isPlain: true)
        let parts = [place.path(path), .constant(one(in: 4) ? .none : constant(path.kind))]
        let isTurned = one(in: 2)
        return comparison(.choice(test, parts[isTurned ? 1 : 0], parts[isTurned ? 0 : 1]), path.kind, .direct)
    }

    // MARK: Constants

    mutating func constant(_ kind: Kind) -> ModelValue {
        switch kind {
        case .text: .text(one(in: 24) ? "" : pick(Self.texts + ["Ä", "AB"]))
        case .whole, .real, .decimal: .number(pick([0, 1, 2, 3, 10, -7, 0.5, 1.5, 19.75]))
        case .truth: .number(pick([0, 1]))
        case .date: .date(pick([0, 1000, 86_400, 500]))
        case .token(let token): .token(token, number(below: 3))
        }
    }

    private mutating func constants(_ kind: Kind, _ count: Int) -> ModelValue {
        .list((0..<count).map { _ in one(in: 6) ? .none : constant(kind) })
    }

    private mutating func relation(_ kind: Kind) -> Condition.Relation {
        switch kind {
        case .text:
            pick([
                .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between, .contains, .begins,
                .ends, .like, .matches, .contains, .begins,
            ])
        case .whole, .real, .decimal, .date:
            pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between, .between])
        case .token(.uuid): pick([.equal, .notEqual, .isIn, .less, .greaterOrEqual])
        case .truth, .token: pick([.equal, .notEqual, .isIn])
        }
    }

    /// A comparison of a value with constants.
    mutating func comparison(_ left: Operand, _ kind: Kind, _ modifier: Condition.Modifier) -> Condition {
        if one(in: 8) {
            return .comparison(modifier, left, pick([.equal, .notEqual]), .exact, .constant(.none))
        }
        let options: Condition.Options = kind == .text && one(in: 2) ? pick([.c, .d, .cd, .n]) : .exact
        let relation = relation(kind)
        func compared(_ value: ModelValue, _ options: Condition.Options) -> Condition {
            .comparison(modifier, left, relation, options, .constant(value))
        }
        switch relation {
        case .isIn:
            // A long list is a value of its own to a database.
            let count = one(in: 30) ? 520 : number(below: 7)
            return compared(constants(kind, count), kind == .text && one(in: 4) ? .c : .exact)
        case .between:
            let bounds = [constant(kind), one(in: 10) ? .none : constant(kind)]
            return compared(.list(one(in: 2) ? bounds.sorted(by: RequestOracle.isLess) : bounds), options)
        case .like: return compared(.text(pick(["a*", "?", "*b", "*", "a?", "x", "A*", "?*"])), options)
        case .matches:
            return compared(.text(pick(["a.*", "[ab]+", "", ".", "x|a", "A.*"])), options == .d ? .exact : options)
        default:
            let value = constant(kind)
            if one(in: 12), [.equal, .less, .greater].contains(relation) {
                return .comparison(
                    .direct, .constant(value), relation, options, modifier == .direct ? left : .constant(value))
            }
            return compared(value, options)
        }
    }

    // MARK: Several keys

    /// Texts beside texts of the same object, or the constant on the left side.
    private mutating func texts(_ place: Place) -> Condition {
        let paths = place.scope.single.filter { $0.kind == .text }
        let path = pick(paths)
        let relation = pick([Condition.Relation.contains, .begins, .ends, .like, .matches, .isIn, .equal, .notEqual])
        let left = one(in: 2) ? Operand.constant(.text(pick(["xab", "Ab", "a", "ä"]))) : place.path(pick(paths))
        return .comparison(.direct, left, relation, pick([.exact, .exact, .c, .cd]), place.path(path))
    }

    /// Lists with values of the object.
    private mutating func list(_ place: Place) -> Condition {
        let isOfMany = one(in: 4)
        let paths = (isOfMany ? place.scope.many : place.scope.single).filter { $0.kind == .text || $0.kind == .whole }
        let path = pick(paths)
        let left = place.path(path)
        let modifier: Condition.Modifier = isOfMany ? pick([.any, .none]) : .direct
        func element() -> Operand {
            if one(in: 2), let other = sameKind(path.kind, place) { return other }
            return .constant(one(in: 6) ? .none : constant(path.kind))
        }
        if one(in: 2) {
            return .comparison(modifier, left, .between, .exact, .elements([element(), element()]))
        }
        return .comparison(
            modifier, left, .isIn, path.kind == .text && one(in: 3) ? .c : .exact,
            .elements((0..<(1 + number(below: 3))).map { _ in element() }))
    }

    /// Values among those of many objects.
    private mutating func membership(_ place: Place) -> Condition {
        let path = pick(place.scope.many)
        let options: Condition.Options = path.kind == .text && one(in: 3) ? .c : .exact
        let value =
            one(in: 2) ? sameKind(path.kind, place) ?? .constant(constant(path.kind)) : .constant(constant(path.kind))
        if one(in: 2) { return .comparison(.direct, place.path(path), .contains, options, value) }
        return .comparison(.direct, value, .isIn, options, place.path(path))
    }

    // MARK: Many objects

    private mutating func count(_ place: Place) -> Condition {
        let path = pick(place.scope.toManys)
        let left: Operand
        switch number(below: 6) {
        case 0: left = .function(.count, path.keys, of: place.base)
        case 1: left = .indexed(path.keys, .size, rest: [], of: place.base)
        default: left = .count(path.keys, of: place.base)
        }
        let right = one(in: 5) ? sameKind(.whole, place) : nil
        return .comparison(
            .direct, left, pick([.equal, .notEqual, .less, .greaterOrEqual]), .exact,
            right ?? .constant(.number(pick([0, 1, 2, 3]))))
    }

    private mutating func aggregate(_ place: Place) -> Condition {
        let path = pick(place.scope.toManys)
        let inner = QuestionScope.of(path.entity).single.filter(\.isOwn)
        let numbers = inner.filter(\.kind.isNumber)
        var aggregate = pick(Operand.Aggregate.allCases)
        var key = numbers.isEmpty ? inner[0] : pick(numbers)
        if numbers.isEmpty || one(in: 4) {
            aggregate = pick([.min, .max])
            key = pick(inner.filter { $0.kind == .text || $0.kind == .date })
        }
        let left: Operand
        if one(in: 3) {
            let functions: [Operand.Aggregate: Column.Function] = [.sum: .sum, .avg: .average, .min: .min, .max: .max]
            left = .function(functions[aggregate] ?? .max, path.keys + key.keys, of: place.base)
        } else {
            left = .aggregate(aggregate, path.keys, key: key.text, of: place.base)
        }
        if one(in: 4), let right = sameKind(key.kind, place) {
            return .comparison(.direct, left, pick([.equal, .notEqual, .less, .greater]), .exact, right)
        }
        return comparison(left, key.kind == .decimal && aggregate == .avg ? .real : key.kind, .direct)
    }

    private mutating func subquery(_ place: Place) -> Condition {
        let path = pick(place.scope.toManys)
        let inner = Place(QuestionScope.of(path.entity), within: place)
        let within = condition(inner, depth: number(below: 2))
        if path.entity == place.scope.entity, one(in: 4) {
            return .comparison(
                .direct, .itself(place.base), .isIn, .exact,
                .subquery(path.keys, of: place.base, level: place.level, within))
        }
        let right = one(in: 6) ? sameKind(.whole, place) : nil
        return .comparison(
            .direct, .subqueryCount(path.keys, of: place.base, level: place.level, within),
            pick([.equal, .notEqual, .greater, .less]), .exact, right ?? .constant(.number(pick([0, 1, 2]))))
    }

    // MARK: Objects

    private mutating func member(_ entity: String) -> ModelValue {
        let root = ModelWorld.root(entity)
        if root == "Book", !newBooks.isEmpty, one(in: 5) { return .object(pick(newBooks)) }
        let counts = ["Shelf": 2, "Profile": 3, "Book": 8]
        return .object((Self.firstLabels[root] ?? 0) + number(below: counts[root] ?? 4))
    }

    private mutating func members(_ entity: String, _ relation: Condition.Relation) -> Operand {
        if relation != .isIn { return .constant(member(entity)) }
        return .constant(.list((0..<number(below: 4)).map { _ in member(entity) }))
    }

    private mutating func objects(_ place: Place) -> Condition {
        let (scope, base) = (place.scope, place.base)
        let relation = pick([Condition.Relation.equal, .notEqual, .isIn])
        switch number(below: 7) {
        case 0:
            let path = pick(scope.toManys)
            return .comparison(.direct, .path(path.keys, of: base), .contains, .exact, .constant(member(path.entity)))
        case 1:
            let path = pick(scope.toManys)
            return .comparison(
                pick([.any, .none, .all]), .path(path.keys, of: base), relation, .exact, members(path.entity, relation))
        case 2: return .comparison(.direct, .itself(base), relation, .exact, members(scope.entity, relation))
        case 3:
            let keys =
                scope.toOnes.isEmpty || one(in: 2)
                ? []
                : pick(scope.toOnes)
                    .keys
            let entity = scope.toOnes.first { $0.keys == keys }?.entity ?? scope.entity
            return .comparison(.direct, .identifier(keys, of: base), relation, .exact, members(entity, relation))
        case 4 where place.level > 0:
            let isSame = place.row.entity == scope.entity
            if isSame, one(in: 2) {
                return .comparison(.direct, .itself(base), pick([.equal, .notEqual]), .exact, .itself())
            }
            let shared = scope.toOnes.filter { one in place.row.toOnes.contains { $0.keys == one.keys } }
            guard let path = shared.first else { return single(place) }
            return .comparison(
                .direct, .path(path.keys, of: base), pick([.equal, .notEqual]), .exact, .path(path.keys))
        default:
            guard !scope.toOnes.isEmpty else { return single(place) }
            let path = pick(scope.toOnes)
            if one(in: 3) {
                return .comparison(
                    .direct, .path(path.keys, of: base), pick([.equal, .notEqual]), .exact, .constant(.none))
            }
            return .comparison(
                .direct, .path(path.keys, of: base), relation, .exact, members(path.entity, relation))
        }
    }

    /// The row itself, its entity, and the members that it belongs to.
    private mutating func row(_ place: Place) -> Condition {
        let path = place.scope.toManys.first { $0.entity == place.scope.entity }
        if let path, one(in: 2) {
            return .comparison(.direct, .itself(place.base), .isIn, .exact, .path(path.keys, of: place.base))
        }
        let entities = place.scope.entity == "Book" ? ["Book", "Novel", "Novel"] : [place.scope.entity, "Tag"]
        return .comparison(
            .direct, .entity(place.base), pick([.equal, .notEqual]), .exact, .constant(.entity(pick(entities))))
    }

    // MARK: What databases refuse

    private mutating func refused(_ place: Place) -> Condition {
        let text = pick(place.scope.single.filter { $0.kind == .text })
        switch number(below: 6) {
        case 0:
            let function = pick([Operand.Function.length, .uppercase])
            return comparison(
                .property(text.keys, function, of: place.base), function == .length ? .whole : .text, .direct)
        case 1 where place.base == .row:
            let path = pick(place.scope.single.filter(\.isOwn))
            return comparison(.called(path.text), path.kind, .direct)
        case 2:
            guard let path = place.scope.toManys.first(where: { $0.entity == "Book" }) else { return single(place) }
            let left = Operand.distinct(path.keys, key: "pages", of: place.base)
            return comparison(left, .whole, pick([.any, .all, .none]))
        case 3:
            guard let path = place.scope.single.first(where: { $0.kind == .whole }) else { return single(place) }
            return comparison(.arithmetic(place.path(path), .xor, .constant(.number(3))), .whole, .direct)
        case 4:
            let paths = place.scope.many.filter { $0.kind == .text || $0.kind == .whole }
            let (one, other) = (pick(paths), pick(paths))
            let values = Operand.combined(
                one.keys, pick(Operand.SetOperation.allCases), other.keys, of: place.base)
            return .comparison(.direct, .constant(constant(one.kind)), .isIn, .exact, values)
        default:
            guard let path = place.scope.toManys.first(where: \.isOrdered) else { return single(place) }
            let key = pick([Kind.text, .whole, .date])
            let rest = [Kind.text: "title", .whole: "pages", .date: "published"][key] ?? "title"
            return comparison(
                .indexed(path.keys, pick([.first, .last, .at(1)]), rest: [rest], of: place.base), key, .direct)
        }
    }
}
