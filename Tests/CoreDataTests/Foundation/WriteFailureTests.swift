import CoreData
import TestSupport
import Testing

@Suite("A write that the system refuses is an error with the place and a remedy")
struct WriteFailureTests {
    /// A new store where nothing may be written, by a user who is not root.
    @Test(
        "A new store in a read-only folder is an error with the folder's path, and leaves no file",
        arguments: [StoreKind.sqlite, .binary, .xml])
    func readOnlyFolder(kind: StoreKind) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [type = kind.type as String] in
            let folder = URL(fileURLWithPath: "/tmp/opencoredata-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            chmod(folder.path, 0o555)
            let isRoot = geteuid() == 0
            if isRoot { seteuid(65534) }
            defer {
                if isRoot { seteuid(0) }
                try? FileManager.default.removeItem(at: folder)
            }
            let url = folder.appendingPathComponent("Library.store")
            do {
                try withStore(url, LibraryModel.make(), type: type) { context in
                    context.make("Tag", ["name": "t"])
                    try context.save()
                }
                FileHandle.standardError.write(Data("no error".utf8))
            } catch let error as NSError {
                FileHandle.standardError.write(Data("\(error.code): \(error.localizedDescription)".utf8))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Library.store"), "\(text)")
        #expect(text.contains("this program may not write in the folder “/tmp/opencoredata-"), "\(text)")
        #expect(text.contains("choose another folder"), "\(text)")
        if kind == .sqlite { #expect(text.hasPrefix("\(CocoaError.Code.fileWriteNoPermission.rawValue): "), "\(text)") }
    }

    @Test(
        "A save that would make a file larger than the process may have is an error, and the store stays whole",
        arguments: [StoreKind.sqlite, .binary, .xml])
    func sizeLimit(kind: StoreKind) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [type = kind.type as String] in
            try withTemporaryFolder { folder in
                let url = folder.appendingPathComponent("Library.store")
                let model = LibraryModel.make()
                try withStore(url, model, type: type) { context in
                    context.make("Tag", ["name": "first"])
                    try context.save()
                    var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    for number in 0..<40 {
                        context.make("Tag", ["name": (0..<900).map { _ in UUID().uuidString }.joined() + "\(number)"])
                    }
                    let error = #expect(throws: NSError.self) { try context.save() }
                    FileHandle.standardError.write(Data((error?.localizedDescription ?? "").utf8))
                    context.rollback()
                    #expect(try context.all("Tag").count == 1)
                    context.make("Tag", ["name": "second"])
                    try context.save()
                }
                try withStore(url, model, type: type) { context in
                    let names = try context.all("Tag").map { $0.value(forKey: "name") as? String }
                    #expect(Set(names) == ["first", "second"])
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("larger than the 300000 bytes that a file of this process may have"), "\(text)")
        #expect(text.contains("RLIMIT_FSIZE") && text.contains("Library.store"), "\(text)")
    }

    @Test("An external value beyond the limit is such an error, too")
    func externalValue() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try withTemporaryFolder { folder in
                try withStore(folder.appendingPathComponent("Parcels.sqlite"), ParcelModel.make()) { context in
                    context.make("Parcel", ["name": "small"])
                    try context.save()
                    var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    context.make("Parcel", ["name": "large", "content": Data(count: 2_000_000)])
                    let error = #expect(throws: NSError.self) { try context.save() }
                    FileHandle.standardError.write(Data((error?.localizedDescription ?? "").utf8))
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("RLIMIT_FSIZE"), "\(text)")
    }

    @Test("A program that deals with the signal by itself continues to do so")
    func ownHandler() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            try withTemporaryFolder { folder in
                try withStore(folder.appendingPathComponent("a.sqlite"), LibraryModel.make()) { _ in }
            }
            let handler = signal(SIGXFSZ, SIG_DFL)
            #expect(unsafeBitCast(handler, to: Int.self) == 1)
        }
    }

    @Test("A store that another process writes is an error that names the writer and a remedy", arguments: [0, 0.3])
    func busy(timeout: Double) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Library.sqlite")
            let options = [NSPersistentStoreTimeoutOption: timeout]
            try withStore(url, LibraryModel.make(), options: options) { context in
                let writer = try RawDatabase(url)
                try writer.execute("BEGIN IMMEDIATE")
                context.make("Tag", ["name": "t"])
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.code == NSPersistentStoreTimeoutError)
                let text = error?.localizedDescription ?? ""
                #expect(text.contains("Library.sqlite") && text.contains("this process (\(getpid()))"), "\(text)")
                #expect(text.contains("Try again when it is closed or saved there"), "\(text)")
                try writer.execute("COMMIT")
                try context.save()
            }
        }
    }
}
