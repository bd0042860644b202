#if PostgreSQL
import CoreData
import Foundation

/// The statements of an online migration. Each can be run once more, because a process may have been killed after
/// it.
enum PostgreSQLStep {
    private static let dialect = PostgreSQLDialect()

    // MARK: Columns

    /// Removes the NOT NULL constraint of a column. Both names are quoted.
    static func loosening(_ column: String, of table: String) -> String {
        "ALTER TABLE \(table) ALTER COLUMN \(column) DROP NOT NULL"
    }

    /// Adds the new columns of a table. A default value is that of the rows which are there, too: none is written.
    static func adding(_ columns: [OnlinePlan.NewColumn], to table: String) -> [String] {
        if columns.isEmpty { return [] }
        let name = dialect.quoted(table)
        let parts = columns.map { added in
            "ADD COLUMN IF NOT EXISTS \(dialect.quoted(added.column.name)) \(dialect.name(of: added.column.type))"
                + (added.defaultValue.map { " DEFAULT \($0)" } ?? "") + (added.isMandatory ? " NOT NULL" : "")
        }
        return ["ALTER TABLE \(name) \(parts.joined(separator: ", "))"]
            + columns.map {
                PostgreSQLChange.comment($0.comment, onTable: name, column: dialect.quoted($0.column.name))
            }
    }

    /// The name of the check that every row has a value, which exists until the server has validated all rows.
    private static func check(of column: String) -> String {
        var name = PostgreSQLDialect.asGiven(column)
        while name.utf8.count > 50 { name.removeLast() }
        return PostgreSQLDialect.inQuotes("coredata_\(name)_check")
    }

    /// The statements that make a column mandatory. The server validates the rows while other sessions write them.
    static func mandatory(_ column: String, of table: String) -> (before: [String], look: String, after: [String]) {
        let (name, quoted, check) = (dialect.quoted(table), dialect.quoted(column), check(of: column))
        return (
            [
                "ALTER TABLE \(name) DROP CONSTRAINT IF EXISTS \(check)",
                "ALTER TABLE \(name) ADD CONSTRAINT \(check) CHECK (\(quoted) IS NOT NULL) NOT VALID",
            ], "ALTER TABLE \(name) VALIDATE CONSTRAINT \(check)",
            [
                "ALTER TABLE \(name) ALTER COLUMN \(quoted) SET NOT NULL",
                "ALTER TABLE \(name) DROP CONSTRAINT \(check)",
            ]
        )
    }

    // MARK: The trigger of a table

    static let trigger = "coredata_step"

    private static func function(of table: String) -> String { function("step", of: table) }

    static func function(_ kind: String, of table: String) -> String {
        // Tables whose names differ at the end alone have functions of their own.
        let name = PostgreSQLDialect.fitting(table, PostgreSQLDialect.longest - 1 - kind.utf8.count)
        return "\"coredata\".\(PostgreSQLDialect.inQuotes("\(kind)_\(name)"))"
    }

    /// Makes a trigger keep the columns of both versions of a table in step. A transaction that names another
    /// version than the newer one writes the columns of the older version. A transaction of a program without this
    /// framework names no version: then the column that it changes counts. If it changes both, that of the newer
    /// version counts, which `coredata.columns` names. A row that it inserts without a value in that column gets
    /// the value of the older version's column.
    static func syncTrigger(
        _ table: String, _ shadowColumns: [OnlinePlan.ShadowColumn], _ fillers: [OnlinePlan.Filler], newer: Int64
    ) -> [String] {
        let body = """

            DECLARE
                newer boolean := coalesce(current_setting('coredata.version', true), '') = '\(newer)';
                other boolean := coalesce(current_setting('coredata.version', true), '') = '';
                moving boolean := coalesce(current_setting('coredata.moving', true), '') = 'on';
            BEGIN
                \((shadowColumns.map(text) + fillers.map(text)).joined(separator: "\n"))
                RETURN NEW;
            END
            """
        return [
            """
            CREATE OR REPLACE FUNCTION \(function(of: table))() RETURNS trigger LANGUAGE plpgsql \
            SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 \
            AS \(PostgreSQLDialect.inDollars(body))
            """,
            "CREATE OR REPLACE TRIGGER \(trigger) BEFORE INSERT OR UPDATE ON \(dialect.quoted(table)) "
                + "FOR EACH ROW EXECUTE FUNCTION \(function(of: table))()",
        ]
    }

    /// Takes the trigger away again.
    static func droppingSyncTrigger(_ table: String) -> [String] {
        [
            "DROP TRIGGER IF EXISTS \(trigger) ON \(dialect.quoted(table))",
            "DROP FUNCTION IF EXISTS \(function(of: table))()",
        ]
    }

    private static func isOne(of labels: [String]?, _ row: String = "NEW") -> String {
        guard let labels else { return "true" }
        return "\(row).entity IN (\(labels.map { dialect.literal(.string($0)) }.joined(separator: ", ")))"
    }

    private static func text(_ shadow: OnlinePlan.ShadowColumn) -> String {
        let (old, new) = (dialect.quoted(shadow.old.name), dialect.quoted(shadow.new.name))
        let (isNew, isOld) = (
            "NEW.\(new) IS DISTINCT FROM OLD.\(new)", "NEW.\(old) IS DISTINCT FROM OLD.\(old)"
        )
        return """
                IF \(isOne(of: shadow.labels)) THEN
                    IF newer AND TG_OP = 'INSERT' OR (newer OR other AND NOT moving) AND \(isNew) THEN
                        \(taking(shadow.new, into: shadow.old, shadow.oldDefault, isExact: shadow.isExact))
                    ELSIF NOT newer AND (TG_OP = 'INSERT' OR moving OR \(isOld)) THEN
                        \(taking(shadow.old, into: shadow.new, shadow.newDefault, isExact: shadow.isExact))
                    END IF;
                END IF;
            """
    }

    /// Takes the value of one column over into the other one, if that can hold it.
    private static func taking(
        _ from: SQLColumn, into to: SQLColumn, _ defaultValue: String?, isExact: Bool
    ) -> String {
        let (source, target) = ("NEW.\(dialect.quoted(from.name))", "NEW.\(dialect.quoted(to.name))")
        let refusing = """
            RAISE EXCEPTION USING ERRCODE = '22003', TABLE = TG_TABLE_NAME, \
            COLUMN = \(dialect.literal(.string(PostgreSQLDialect.asGiven(from.name)))), \
            MESSAGE = \(dialect.literal(.string(unfit.before))) || \(source)::text
                || \(dialect.literal(.string(unfit.behind)));
            """
        var lines: [String] = []
        if let isBeyond = beyond(source, from.type, to.type) {
            lines.append("IF \(isBeyond) THEN \(refusing) END IF;")
        }
        let value = conversion(source, from.type, to.type)
        lines.append("\(target) := \(defaultValue.map { "coalesce(\(value), \($0))" } ?? value);")
        if from.type != to.type, isExact {
            let back = conversion(target, to.type, from.type)
            lines.append("IF \(source) IS NOT NULL AND \(back) IS DISTINCT FROM \(source) THEN \(refusing) END IF;")
        }
        return lines.joined(separator: "\n")
    }

    private static let unfit = (
        before: "The value ", behind: " does not fit the other version of the model, which programs have still."
    )

    /// The trigger's message for a value that the other column cannot hold.
    static func message(ofUnfit value: String) -> String { unfit.before + value + unfit.behind }

    /// Finds a value in the existing rows that the trigger would refuse; nil where it accepts all of them.
    static func unfitValue(of shadow: OnlinePlan.ShadowColumn) -> String? {
        if holdsAll(of: shadow.old.type, shadow.new.type) { return nil }
        let value = "t.\(dialect.quoted(shadow.old.name))"
        let there = conversion(value, shadow.old.type, shadow.new.type)
        let back = conversion("(\(there))", shadow.new.type, shadow.old.type)
        let isBeyond = beyond(value, shadow.old.type, shadow.new.type).map { "WHEN \($0) THEN true " }
        let isOther = shadow.isExact ? "\(back) IS DISTINCT FROM \(value)" : "\(there) IS NULL"
        return """
            SELECT \(value)::text FROM \(dialect.quoted(shadow.table)) t WHERE CASE WHEN \(value) IS NULL THEN false \
            \(isBeyond ?? "")ELSE \(isOther) END AND \(isOne(of: shadow.labels, "t")) LIMIT 1
            """
    }

    /// Whether one type has all values of another one.
    private static func holdsAll(of from: SQLColumnType, _ to: SQLColumnType) -> Bool {
        if from == to { return true }
        let whole: [SQLColumnType] = [.boolean, .smallInteger, .mediumInteger, .integer]
        guard let place = whole.firstIndex(of: from) else { return false }
        return to == .decimal || whole.firstIndex(of: to).map { $0 > place } ?? false
    }

    private static func conversion(_ value: String, _ from: SQLColumnType, _ to: SQLColumnType) -> String {
        if from == to { return value }
        if to == .real, from == .float || from == .decimal {
            // The server's cast fails where a number is too near to zero. It is rounded, as all fractions are.
            return "(CASE WHEN abs(\(value)::float8) <= 7.006492321624085e-46 THEN 0 ELSE \(value) END)::real"
        }
        return PostgreSQLDialect.conversion(of: value, from: from, to: to)
            .replacingOccurrences(of: " COLLATE \"C\"", with: "")
    }

    /// A condition for a value outside the range of another type; nil where no value is. The server sorts NaN above
    /// every number.
    private static func beyond(_ value: String, _ from: SQLColumnType, _ to: SQLColumnType) -> String? {
        switch (from, to) {
        case _ where from == to: return nil
        case (.real, .decimal), (.float, .decimal):
            // The server's numbers are longer than those of `Decimal`, and reading such a number fails.
            return "abs(\(number(value, from))) > \(Decimal.greatestFiniteMagnitude)"
        // Core Data has no NaN among doubles, and has one among decimals.
        case (.decimal, .float): return "abs(\(value)) > \(Double.greatestFiniteMagnitude)"
        case (.decimal, .real): return "abs(\(value)) >= \(boundOfSingles)"
        case (.float, .real): return "abs(\(value)) >= \(boundOfSingles) AND abs(\(value)) < 'Infinity'"
        default: return range(of: from, in: to).map { "\(number(value, from)) NOT BETWEEN \($0)" }
        }
    }

    /// From here on a number is rounded to an infinite single.
    private static let boundOfSingles = "3.4028235677973366e38"

    private static func number(_ value: String, _ type: SQLColumnType) -> String {
        if type == .boolean { return "\(value)::integer::numeric" }
        return PostgreSQLDialect.conversion(of: value, from: type, to: .decimal)
    }

    private static func range(of type: SQLColumnType, in other: SQLColumnType) -> String? {
        switch (type, other) {
        case (_, .boolean): "0 AND 1"
        case (_, .smallInteger): "-32768 AND 32767"
        case (_, .mediumInteger): "-2147483648 AND 2147483647"
        case (_, .integer): "-9223372036854775808 AND 9223372036854775807"
        // A greater number is rounded to a `real` that does not convert back.
        case (.mediumInteger, .real): "-2147483648 AND 2147483520"
        case (.integer, .real): "-9223372036854775808 AND 9223371487098961920"
        case (.integer, .float): "-9223372036854775808 AND 9223372036854774784"
        default: nil
        }
    }

    private static func text(_ filler: OnlinePlan.Filler) -> String {
        let column = "NEW.\(dialect.quoted(filler.column))"
        let isWanted =
            filler.isOfNewer ? "NOT newer AND (TG_OP = 'INSERT' OR moving)" : "newer AND TG_OP = 'INSERT'"
        return """
                IF \(isWanted) AND \(column) IS NULL AND \(isOne(of: filler.labels)) THEN
                    \(column) := \(filler.value);
                END IF;
            """
    }
}
#endif
