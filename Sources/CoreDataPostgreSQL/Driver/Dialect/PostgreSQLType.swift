#if PostgreSQL
import CPostgreSQL

/// The types of PostgreSQL that a store's columns and parameters have, by the numbers that servers give them.
enum PostgreSQLType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let float4: Oid = 700
    static let float8: Oid = 701
    static let varchar: Oid = 1043
    static let timestamp: Oid = 1114
    static let timestamptz: Oid = 1184
    static let numeric: Oid = 1700
    static let uuid: Oid = 2950
    static let int8Array: Oid = 1016

    /// The name of a type, as a cast has it; nil for types that no store has.
    static func name(of type: Oid) -> String? {
        switch type {
        case bool: "bool"
        case bytea: "bytea"
        case int8: "int8"
        case int2: "int2"
        case int4: "int4"
        case text, varchar: "text"
        case float4: "float4"
        case float8: "float8"
        case timestamp: "timestamp"
        case timestamptz: "timestamptz"
        case numeric: "numeric"
        case uuid: "uuid"
        default: nil
        }
    }
}
#endif
