import CSQLite
import Foundation

private typealias Context = OpaquePointer?
private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>?

private let transientBytes = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The SQL functions and collations that predicates need beyond SQLite's own, and the functions that the triggers in
/// Apple's stores call. They are registered on every connection.
///
/// The functions on strings take (text, argument, options), options as `NSComparisonPredicate.Options.rawValue`. They
/// return NULL if text or argument is NULL. Texts are compared on SQLite's bytes if that is possible, without making a
/// `String`.
enum SQLiteFunctions {
    static func register(on connection: SQLiteConnection) {
        let handle = connection.handle
        // Triggers of derived attributes in Apple's stores call these functions to report changes. They do nothing
        // here, because the values are read back with the rows.
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            add(name, 5, on: handle, trust: .ofSchema) { context, _, _ in sqlite3_result_null(context) }
        }
        add("OCD_EQUAL", 3, on: handle) { SQLiteText.compare($0, $2, .equal) }
        add("OCD_CONTAINS", 3, on: handle) { SQLiteText.compare($0, $2, .contains) }
        add("OCD_BEGINS", 3, on: handle) { SQLiteText.compare($0, $2, .beginsWith) }
        add("OCD_ENDS", 3, on: handle) { SQLiteText.compare($0, $2, .endsWith) }
        add("OCD_LIKE", 3, on: handle) { SQLiteText.pattern(.like, $0, $2) }
        add("OCD_MATCHES", 3, on: handle) { SQLiteText.pattern(.matches, $0, $2) }
        add("OCD_FOLD", 2, on: handle) { context, _, arguments in
            let options = NSComparisonPredicate.Options(
                rawValue: UInt(truncatingIfNeeded: sqlite3_value_int64(arguments?[1])))
            SQLiteText.map(context, arguments) { StringComparison.fold($0, options) }
        }
        add("OCD_LOWER", 1, on: handle) { SQLiteText.map($0, $2) { $0.lowercased() } }
        add("OCD_UPPER", 1, on: handle) { SQLiteText.map($0, $2) { $0.uppercased() } }
        add("OCD_CANONICAL", 1, on: handle) { context, _, arguments in
            SQLiteText.map(context, arguments) {
                StringComparison.fold($0, [.caseInsensitive, .diacriticInsensitive])
            }
        }
        registerMathematics(on: handle)
        registerCollations(on: handle)
    }

    /// Who may call a function.
    private enum Trust {
        /// Triggers of the file, too, because the function does nothing.
        case ofSchema
        /// Only statements of this framework. A trigger, a view or an index of a file from elsewhere cannot call the
        /// function.
        case ofStatements

        var flag: Int32 { self == .ofSchema ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY }
    }

    private static func add(
        _ name: String, _ count: Int32, on handle: OpaquePointer, trust: Trust = .ofStatements,
        deterministic: Bool = true,
        _ body: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) {
        let isDeterministic = deterministic && trust != .ofSchema
        let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0) | trust.flag
        sqlite3_create_function_v2(handle, name, count, flags, nil, body, nil, nil, nil)
    }

    private static func registerCollations(on handle: OpaquePointer) {
        typealias Collation =
            @convention(c) (
                UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
            ) -> Int32
        func add(_ name: String, _ body: Collation) {
            sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, nil, body, nil)
        }
        add("OCD_NOCASE") { SQLiteText.order(count: $1, $2, count: $3, $4, by: .caseInsensitiveCompare) }
        add("OCD_LOCALIZED") { SQLiteText.order(count: $1, $2, count: $3, $4, by: .localizedCompare) }
        add("OCD_LOCALIZED_NOCASE") {
            SQLiteText.order(count: $1, $2, count: $3, $4, by: .localizedCaseInsensitiveCompare)
        }
        add("OCD_LOCALIZED_STANDARD") { SQLiteText.order(count: $1, $2, count: $3, $4, by: .localizedStandardCompare) }
    }

    private static func registerMathematics(on handle: OpaquePointer) {
        add("OCD_SQRT", 1, on: handle) { SQLiteFunctions.number($0, $2) { $0.squareRoot() } }
        add("OCD_FLOOR", 1, on: handle) { SQLiteFunctions.number($0, $2) { $0.rounded(.down) } }
        add("OCD_CEILING", 1, on: handle) { SQLiteFunctions.number($0, $2) { $0.rounded(.up) } }
        add("OCD_TRUNC", 1, on: handle) { SQLiteFunctions.number($0, $2) { $0.rounded(.towardZero) } }
        add("OCD_LN", 1, on: handle) { SQLiteFunctions.number($0, $2) { Foundation.log($0) } }
        add("OCD_LOG", 1, on: handle) { SQLiteFunctions.number($0, $2) { Foundation.log10($0) } }
        add("OCD_EXP", 1, on: handle) { SQLiteFunctions.number($0, $2) { Foundation.exp($0) } }
        add("OCD_POWER", 2, on: handle) { context, _, arguments in
            guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL,
                sqlite3_value_type(arguments[1]) != SQLITE_NULL
            else { return sqlite3_result_null(context) }
            sqlite3_result_double(
                context, Foundation.pow(sqlite3_value_double(arguments[0]), sqlite3_value_double(arguments[1])))
        }
        add("OCD_RANDOM", 0, on: handle, deterministic: false) { context, _, _ in
            sqlite3_result_double(context, Double.random(in: 0..<1))
        }
        add("OCD_NOW", 0, on: handle, deterministic: false) { context, _, _ in
            sqlite3_result_double(context, Date().timeIntervalSinceReferenceDate)
        }
    }

    private static func number(_ context: Context, _ arguments: Arguments, _ body: (Double) -> Double) {
        guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
            return sqlite3_result_null(context)
        }
        sqlite3_result_double(context, body(sqlite3_value_double(arguments[0])))
    }
}

/// The work of the string functions, on SQLite's bytes where that is possible.
private enum SQLiteText {
    typealias Options = NSComparisonPredicate.Options

    static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        if sqlite3_value_type(value) == SQLITE_NULL { return nil }
        guard let text = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    static func compare(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ relation: StringComparison.Relation
    ) {
        guard let arguments, let text = bytes(arguments[0]), let part = bytes(arguments[1]) else {
            return sqlite3_result_null(context)
        }
        let options = Options(rawValue: UInt(truncatingIfNeeded: sqlite3_value_int64(arguments[2])))
        let result =
            StringComparison.holds(relation, between: text, and: part, options: options)
            ?? StringComparison.holdsByFoundation(relation, between: string(text), and: string(part), options: options)
        sqlite3_result_int(context, result ? 1 : 0)
    }

    // MARK: Patterns

    /// A condition that SQLite keeps as long as the argument has one value; nil if the argument is not valid.
    private final class Kept {
        let condition: TextCondition?
        let message: String

        init(_ function: SQLExpression.Function, _ argument: String, _ options: Options) {
            do {
                (condition, message) = (try TextCondition(function, argument, options), "")
            } catch {
                (condition, message) = (nil, error.localizedDescription)
            }
        }
    }

    /// Evaluates LIKE and MATCHES. The pattern is compiled once.
    static func pattern(
        _ function: SQLExpression.Function, _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let arguments, let text = bytes(arguments[0]), let argument = bytes(arguments[1]) else {
            return sqlite3_result_null(context)
        }
        let kept: Kept
        if let known = sqlite3_get_auxdata(context, 1) {
            kept = Unmanaged<Kept>.fromOpaque(known).takeUnretainedValue()
        } else {
            let options = Options(rawValue: UInt(truncatingIfNeeded: sqlite3_value_int64(arguments[2])))
            kept = Kept(function, string(argument), options)
            sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(kept).toOpaque()) { kept in
                if let kept { Unmanaged<Kept>.fromOpaque(kept).release() }
            }
        }
        guard let condition = kept.condition else { return sqlite3_result_error(context, kept.message, -1) }
        guard let holds = try? condition.holds(for: string(text)) else {
            return sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        }
        sqlite3_result_int(context, holds ? 1 : 0)
    }

    // MARK: Mapping and ordering

    static func map(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ body: (String) -> String
    ) {
        guard let arguments, let text = bytes(arguments[0]) else { return sqlite3_result_null(context) }
        var result = body(string(text))
        result.withUTF8 { bytes in
            let base = bytes.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
            if let base {
                sqlite3_result_text(context, base, Int32(bytes.count), transientBytes)
            } else {
                sqlite3_result_text(context, "", 0, transientBytes)
            }
        }
    }

    static func order(
        count countA: Int32, _ a: UnsafeRawPointer?, count countB: Int32, _ b: UnsafeRawPointer?,
        by selector: SortSelector
    ) -> Int32 {
        func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
            guard let bytes else { return "" }
            return String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
        }
        let order = selector.order(.string(text(a, countA)), .string(text(b, countB)))
        return Int32((order ?? .orderedSame).rawValue)
    }
}
