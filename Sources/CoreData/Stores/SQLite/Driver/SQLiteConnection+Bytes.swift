import CSQLite

// Reads bytes of the main file as they are, without interpreting them.
//
// They are read through SQLite's own descriptor: closing another one would drop all locks that this process has on the
// file.
extension SQLiteConnection {
    /// The number of bytes that the file has.
    func byteCount() throws -> Int64 {
        let file = try mainFile()
        var size: Int64 = 0
        let code = file.methods.xFileSize?(file.pointer, &size) ?? SQLITE_ERROR
        guard code == SQLITE_OK else { throw error(code) }
        return size
    }

    /// Reads bytes of the file at an offset. Returns fewer than `count` if the file ends before.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        let available = try min(Int64(count), byteCount() - offset)
        guard offset >= 0, available > 0 else { return [] }
        let file = try mainFile()
        var bytes = [UInt8](repeating: 0, count: Int(available))
        let code = bytes.withUnsafeMutableBytes {
            file.methods.xRead?(file.pointer, $0.baseAddress, Int32($0.count), offset) ?? SQLITE_ERROR
        }
        guard code == SQLITE_OK else { throw error(code) }
        return bytes
    }

    private func mainFile() throws -> (pointer: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods) {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &pointer) {
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        guard code == SQLITE_OK, let pointer, let methods = pointer.pointee.pMethods?.pointee else {
            throw error(code == SQLITE_OK ? SQLITE_ERROR : code)
        }
        return (pointer, methods)
    }
}
