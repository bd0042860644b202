import CSQLite
import Foundation

/// The SQL functions that a migration needs in addition to those of every connection.
enum MigrationFunctions {
    /// The function that puts the tag of external storage in front of bytes.
    static let tag = "OCD_TAG"
    /// The function that removes the tag, and that reads bytes from their external file.
    static let untag = "OCD_UNTAG"

    /// The beginning of the message if there is no such file. The key of the row follows.
    static let missingFile = "external data missing in row "

    /// The state of the functions of one migration.
    final class State {
        let externalData: ExternalData

        init(externalData: ExternalData) {
            self.externalData = externalData
        }

        func value(_ bytes: UnsafeRawBufferPointer) throws -> Data? {
            guard let name = ExternalData.fileName(bytes) else { return Data(ExternalData.inlineBytes(bytes)) }
            return try externalData.read(name)
        }
    }

    /// Registers the functions. The caller keeps `state` alive as long as the connection uses them.
    static func register(on connection: SQLiteConnection, state: State) {
        sqlite3_create_function_v2(
            connection.handle, tag, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
            { context, _, arguments in
                guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else {
                    return sqlite3_result_null(context)
                }
                MigrationFunctions.answer(context, Data([1]) + Data(MigrationFunctions.bytes(value)))
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection.handle, untag, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passUnretained(state).toOpaque(),
            { context, _, arguments in
                guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL,
                    let pointer = sqlite3_user_data(context)
                else { return sqlite3_result_null(context) }
                let state = Unmanaged<State>.fromOpaque(pointer).takeUnretainedValue()
                do {
                    guard let data = try state.value(MigrationFunctions.bytes(value)) else {
                        let row = arguments?[1].map { sqlite3_value_int64($0) } ?? 0
                        return sqlite3_result_error(context, "\(MigrationFunctions.missingFile)\(row)", -1)
                    }
                    MigrationFunctions.answer(context, data)
                } catch {
                    sqlite3_result_error(context, error.localizedDescription, -1)
                }
            }, nil, nil, nil)
    }

    private static func bytes(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_value_blob(value) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func answer(_ context: OpaquePointer?, _ data: Data) {
        data.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress, bytes.count > 0 {
                sqlite3_result_blob64(
                    context, base, UInt64(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            } else {
                sqlite3_result_zeroblob(context, 0)
            }
        }
    }
}
