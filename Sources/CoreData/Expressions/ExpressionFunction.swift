/// One function of the expression library: its selector, the number of its arguments, and its computation.
///
/// The set and the names are those documented for `NSExpression(forFunction:arguments:)`, plus the ones that format
/// strings produce (`objectFrom:withIndex:`, `castObject:toType:`, `canonical:`, `length:`).
struct ExpressionFunction {
    /// The name of the library as the operand of a function.
    static let library = "_NSPredicateUtilities"
    /// The words that may stand for an index in `collection[…]`.
    static let indexWords: Set<String> = ["FIRST", "LAST", "SIZE"]

    let count: ClosedRange<Int>
    let body: ([Any?]) -> Any?

    func accepts(_ number: Int) -> Bool { count.contains(number) }

    /// The function of a selector. A selector of one argument may lack its colon.
    static func named(_ name: String) -> ExpressionFunction? {
        switch name {
        case "now", "now:": .init(0) { _ in Date() }
        case "random": .init(0) { _ in NSNumber(value: Double.random(in: 0..<1)) }
        case "random:": .init(1) { NSNumber(value: Int64.random(in: 0..<max(1, integer($0[0]) ?? 1))) }
        default: statistics(name) ?? arithmetic(name) ?? bits(name) ?? text(name) ?? structure(name)
        }
    }

    private init(_ count: Int, body: @escaping ([Any?]) -> Any?) {
        self.count = count...count
        self.body = body
    }

    /// A function of one collection, which may be given as a single argument or as several.
    private init(collection body: @escaping ([Any]) -> Any?) {
        count = 1...Int.max
        self.body = { arguments in
            let values =
                arguments.count == 1
                ? arguments[0].flatMap { ExpressionValue($0).elements ?? [$0] } ?? [] : arguments.compactMap { $0 }
            return body(values.filter { !ExpressionValue($0).isNull })
        }
    }

    // MARK: Groups

    private static func statistics(_ name: String) -> ExpressionFunction? {
        switch name {
        case "sum:": .init(collection: sum)
        case "count:":
            // Unlike the other functions, this one counts nulls, too.
            .init(1) { NSNumber(value: $0[0].map { ExpressionValue($0).elements?.count ?? 1 } ?? 0) }
        case "distinct:": .init(collection: distinct)
        case "average:": .init(collection: average)
        case "min:": .init(collection: { extremum($0, .orderedAscending) })
        case "max:": .init(collection: { extremum($0, .orderedDescending) })
        case "median:": .init(collection: median)
        case "mode:": .init(collection: mode)
        case "stddev:": .init(collection: standardDeviation)
        default: nil
        }
    }

    private static func arithmetic(_ name: String) -> ExpressionFunction? {
        switch name {
        case "add:to:":
            .init(2) { combine($0, integers: { $0.addingReportingOverflow($1) }, reals: +, decimals: { $0 + $1 }) }
        case "from:subtract:":
            .init(2) { combine($0, integers: { $0.subtractingReportingOverflow($1) }, reals: -, decimals: { $0 - $1 }) }
        case "multiply:by:":
            .init(2) {
                combine($0, integers: { $0.multipliedReportingOverflow(by: $1) }, reals: *, decimals: { $0 * $1 })
            }
        case "divide:by:": .init(2) { divide($0) }
        case "modulus:by:": .init(2) { remainder($0) }
        case "raise:toPower:": .init(2) { real($0[0], $0[1], pow) }
        case "sqrt:": .init(1) { real($0[0], { $0.squareRoot() }) }
        case "exp:": .init(1) { real($0[0], exp) }
        case "ln:": .init(1) { real($0[0], log) }
        case "log:": .init(1) { real($0[0], log10) }
        case "abs:": .init(1) { rounded($0[0], { $0.magnitude > UInt64(Int64.max) ? $0 : abs($0) }, abs) }
        case "ceiling:": .init(1) { rounded($0[0], { $0 }, { $0.rounded(.up) }) }
        case "floor:": .init(1) { rounded($0[0], { $0 }, { $0.rounded(.down) }) }
        case "trunc:": .init(1) { rounded($0[0], { $0 }, { $0.rounded(.towardZero) }) }
        default: nil
        }
    }

    private static func bits(_ name: String) -> ExpressionFunction? {
        switch name {
        case "bitwiseAnd:with:": .init(2) { bitwise($0, &) }
        case "bitwiseOr:with:": .init(2) { bitwise($0, |) }
        case "bitwiseXor:with:": .init(2) { bitwise($0, ^) }
        case "leftshift:by:": .init(2) { bitwise($0, <<) }
        case "rightshift:by:": .init(2) { bitwise($0, >>) }
        case "onesComplement:": .init(1) { integer($0[0]).map { NSNumber(value: ~$0) } }
        default: nil
        }
    }

    private static func text(_ name: String) -> ExpressionFunction? {
        switch name {
        case "uppercase:": .init(1) { string($0[0])?.uppercased() }
        case "lowercase:": .init(1) { string($0[0])?.lowercased() }
        case "canonical:": .init(1) { string($0[0])?.folding(options: foldingOfCanonical, locale: nil) }
        case "length:": .init(1) { string($0[0]).map { NSNumber(value: $0.utf16.count) } }
        case "tokenize:using:":
            .init(2) { arguments in
                guard let text = string(arguments[0]), let separator = string(arguments[1]) else { return nil }
                return text.components(separatedBy: separator).filter { !$0.isEmpty }
            }
        default: nil
        }
    }

    private static var foldingOfCanonical: String.CompareOptions {
        [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
    }

    private static func structure(_ name: String) -> ExpressionFunction? {
        switch name {
        case "noindex:": .init(1) { $0[0] }
        case "objectFrom:withIndex:": .init(2) { element(of: $0[0], at: $0[1]) }
        case "castObject:toType:": .init(2) { cast($0[0], to: $0[1]) }
        case "first:", "last:":
            .init(1) { arguments in
                let elements = arguments[0].flatMap { ExpressionValue($0).elements }
                return name == "first:" ? elements?.first : elements?.last
            }
        default: nil
        }
    }
}

// MARK: - Numbers

extension ExpressionFunction {
    static func sum(_ values: [Any]) -> Any? {
        values.reduce(NSNumber(value: 0) as Any?) { total, value in
            guard ExpressionValue(value).doubleValue != nil else { return total }
            return combine(
                [total, value], integers: { $0.addingReportingOverflow($1) }, reals: +, decimals: { $0 + $1 })
        }
    }

    static func average(_ values: [Any]) -> Any? {
        let numbers = values.filter { ExpressionValue($0).doubleValue != nil }
        guard !numbers.isEmpty else { return nil }
        if numbers.contains(where: { $0 is NSDecimalNumber || $0 is Decimal }) {
            return divide([sum(numbers), NSDecimalNumber(value: numbers.count)])
        }
        return NSNumber(
            value: numbers.reduce(0) { $0 + (ExpressionValue($1).doubleValue ?? 0) } / Double(numbers.count))
    }

    /// The smallest (`.orderedAscending`) or largest value by the order of comparisons.
    static func extremum(_ values: [Any], _ order: ComparisonResult) -> Any? {
        guard var best = values.first else { return nil }
        var known = ExpressionValue(best)
        for value in values.dropFirst() {
            let candidate = ExpressionValue(value)
            if ExpressionValue.compare(candidate, known) == order {
                best = value
                known = candidate
            }
        }
        return best
    }

    static func distinct(_ values: [Any]) -> Any? {
        var seen: [String: [ExpressionValue]] = [:]
        return values.filter { value in
            let candidate = ExpressionValue(value)
            let text = candidate.hashText
            if seen[text]?.contains(where: { ExpressionValue.areEqual($0, candidate) }) == true { return false }
            seen[text, default: []].append(candidate)
            return true
        }
    }

    private static func median(_ values: [Any]) -> Any? {
        let sorted = values.compactMap { ExpressionValue($0).doubleValue }.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return NSNumber(value: sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2)
    }

    private static func mode(_ values: [Any]) -> Any? {
        var counts: [Double: Int] = [:]
        for case let value? in values.map({ ExpressionValue($0).doubleValue }) { counts[value, default: 0] += 1 }
        guard let most = counts.values.max() else { return nil }
        return counts.filter { $0.value == most }.keys.sorted().map { NSNumber(value: $0) }
    }

    private static func standardDeviation(_ values: [Any]) -> Any? {
        let numbers = values.compactMap { ExpressionValue($0).doubleValue }
        guard !numbers.isEmpty else { return nil }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
        return NSNumber(value: variance.squareRoot())
    }

    private static func integer(_ value: Any?) -> Int64? {
        switch ExpressionValue(value) {
        case .int(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero))
        case .decimal(let value): NSDecimalNumber(decimal: value).int64Value
        default: nil
        }
    }

    private static func string(_ value: Any?) -> String? {
        if case .string(let text) = ExpressionValue(value) { text } else { nil }
    }

    /// Combines two numbers: integers stay integers unless they overflow, decimals stay decimals. Dates move by
    /// seconds.
    private static func combine(
        _ arguments: [Any?], integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        reals: (Double, Double) -> Double, decimals: (Decimal, Decimal) -> Decimal
    ) -> Any? {
        let (left, right) = (ExpressionValue(arguments[0]), ExpressionValue(arguments[1]))
        switch (left, right) {
        case (.int(let a), .int(let b)):
            let (value, overflow) = integers(a, b)
            return NSNumber(value: value).overflowing(overflow, to: reals(Double(a), Double(b)))
        case (.decimal, _), (_, .decimal):
            guard let a = left.decimal, let b = right.decimal else { return nil }
            return NSDecimalNumber(decimal: decimals(a, b))
        case (.date(let a), .date(let b)):
            return NSNumber(value: reals(a, b))
        case (.date(let a), _):
            return right.doubleValue.map { Date(timeIntervalSinceReferenceDate: reals(a, $0)) }
        case (_, .date(let b)):
            return left.doubleValue.map { Date(timeIntervalSinceReferenceDate: reals($0, b)) }
        default:
            guard let a = left.doubleValue, let b = right.doubleValue else { return nil }
            return NSNumber(value: reals(a, b))
        }
    }

    /// Integers divide as integers, as in SQL and in Foundation. The quotient of integers by zero is nil.
    private static func divide(_ arguments: [Any?]) -> Any? {
        let (left, right) = (ExpressionValue(arguments[0]), ExpressionValue(arguments[1]))
        if case .int(let a) = left, case .int(let b) = right {
            return b == 0 ? nil : NSNumber(value: a.dividedReportingOverflow(by: b).partialValue)
        }
        if case .decimal = left, right.decimal == 0 { return nil }
        return combine(arguments, integers: { $0.dividedReportingOverflow(by: $1) }, reals: /, decimals: { $0 / $1 })
    }

    private static func remainder(_ arguments: [Any?]) -> Any? {
        guard let a = integer(arguments[0]), let b = integer(arguments[1]), b != 0 else { return nil }
        return NSNumber(value: a.remainderReportingOverflow(dividingBy: b).partialValue)
    }

    private static func real(_ value: Any?, _ body: (Double) -> Double) -> Any? {
        ExpressionValue(value).doubleValue.map { NSNumber(value: body($0)) }
    }

    private static func real(_ a: Any?, _ b: Any?, _ body: (Double, Double) -> Double) -> Any? {
        guard let a = ExpressionValue(a).doubleValue, let b = ExpressionValue(b).doubleValue else { return nil }
        return NSNumber(value: body(a, b))
    }

    private static func rounded(_ value: Any?, _ integer: (Int64) -> Int64, _ real: (Double) -> Double) -> Any? {
        switch ExpressionValue(value) {
        case .int(let value): NSNumber(value: integer(value))
        case let other: other.doubleValue.map { NSNumber(value: real($0)) }
        }
    }

    private static func bitwise(_ arguments: [Any?], _ body: (Int64, Int64) -> Int64) -> Any? {
        guard let a = integer(arguments[0]), let b = integer(arguments[1]) else { return nil }
        return NSNumber(value: body(a, b))
    }

    private static func element(of collection: Any?, at index: Any?) -> Any? {
        guard let collection else { return nil }
        if let dictionary = collection as? [String: Any], let key = index as? String, !indexWords.contains(key) {
            return dictionary[key]
        }
        guard let elements = ExpressionValue(collection).elements else { return nil }
        switch index as? String {
        case "FIRST": return elements.first
        case "LAST": return elements.last
        case "SIZE": return NSNumber(value: elements.count)
        default:
            guard let position = integer(index).map(Int.init), elements.indices.contains(position) else { return nil }
            return elements[position]
        }
    }

    private static func cast(_ value: Any?, to type: Any?) -> Any? {
        let known = ExpressionValue(value)
        guard let name = string(type), !known.isNull else { return nil }
        switch name {
        case "NSString", "String":
            if case .string(let text) = known { return text }
            return known.printed
        case "NSNumber", "NSDecimalNumber":
            if case .string(let text) = known {
                return name == "NSNumber"
                    ? NSNumber(value: (text as NSString).doubleValue) : NSDecimalNumber(string: text)
            }
            if case .date(let seconds) = known { return NSNumber(value: seconds) }
            return name == "NSNumber" ? value : known.decimal.map { NSDecimalNumber(decimal: $0) }
        case "NSDate", "Date":
            if case .date = known { return value }
            return known.doubleValue.map { Date(timeIntervalSinceReferenceDate: $0) }
        case "NSUUID", "UUID":
            if case .uuid = known { return value }
            return string(value).flatMap { UUID(uuidString: $0) }
        case "NSURL", "URL":
            if case .url = known { return value }
            return string(value).flatMap { URL(string: $0) }
        default:
            return value
        }
    }
}

extension ExpressionValue {
    fileprivate var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        // The text of an infinite number would be parsed as a finite one.
        case .double(let value): value.isFinite ? Decimal(string: "\(value)") : nil
        case .decimal(let value): value
        default: nil
        }
    }
}

extension NSNumber {
    fileprivate func overflowing(_ overflow: Bool, to value: Double) -> NSNumber {
        overflow ? NSNumber(value: value) : self
    }
}
