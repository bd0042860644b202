import CoreData
import Foundation
import StudioServer

/// `coredata studio`: a page in the browser that shows a store.
package struct StudioCommand: Command {
    package static let page = CommandPage(
        "studio", "show a store on a page in the browser",
        operands: [.store],
        discussion: [
            "Prints the address of the page, and opens it where there is a desktop. The page is served to this machine "
                + "alone. Its address is good once: the first browser that opens it has the page until it ends. "
                + "^C ends the studio.",
            "On a machine with other users, --no-open keeps the address out of the list of processes.",
            "The page shows entities, objects and the links between them, the model, the history, what other programs "
                + "save while they do, and what a migration would do. It reads only; with --write values are edited in "
                + "place, objects made and deleted, and migrations run. Nothing is written before it is saved.",
        ],
        options: [
            Option(
                "model", letter: "m", value: "PATH", completion: .file,
                "the store's model, or one with versions to compare and to migrate to"),
            Option("port", value: "N", "the port to listen on; by default one that is free"),
            Option("write", "let the page change the store"), Option("no-open", "print the address, and open nothing"),
            .json,
        ],
        examples: [
            .init("coredata studio Library.sqlite", "show a store"),
            .init("coredata studio Library.sqlite --model Library.momd --write", "edit it, or migrate it"),
        ])

    private let store: String
    private let model: String?
    private let port: UInt16
    private let isWritable: Bool
    private let opens: Bool
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        let number = try arguments.number("port", atLeast: 0) ?? 0
        guard let port = UInt16(exactly: number) else { throw arguments.misuse("'--port' is at most 65535") }
        self.port = port
        isWritable = arguments.has("write")
        opens = !arguments.has("no-open")
        isJSON = arguments.has(.json)
    }

    package var writesStore: Bool { isWritable }

    package func run(_ console: Console) throws -> ExitStatus {
        #if Studio
        let studio = try Studio(store, model: model, isWritable: isWritable)
        guard let server = LoopbackServer(port: port, handler: { studio.answer($0) }) else {
            throw ToolError(.failed, "port \(port) is taken, or may not be used")
        }
        let end = DispatchSemaphore(value: 0)
        Interruption.watch { end.signal() }
        if isJSON {
            try console.writeLine(.object([("address", .string(server.address))]))
        } else {
            try console.line(server.address)
        }
        try console.flush()
        console.say(Table.onOneLine("\(try studio.shown) is shown at this address, once; ^C ends"))
        if isWritable, let mirror = try studio.mirror {
            console.say(
                Table.onOneLine(
                    "\(MirrorText(mirror).sentence); a device uploads what is saved here, as far as the "
                        + "store keeps history"))
        }
        if opens, console.columns != nil { Desktop.open(server.address) }
        end.wait()
        let ending = studio.end()
        guard let unsaved = ending.unsaved else {
            // The server would wait until the request is answered. No save is running, so unsaved changes are lost.
            console.say("a request was still being answered" + (isWritable ? "; unsaved changes are lost" : ""))
            return .done
        }
        server.stop()
        if unsaved > 0 {
            console.say("changes of \(unsaved) object\(unsaved == 1 ? "" : "s") were not saved")
        }
        if ending.isMigrationCancelled {
            throw ToolError(.cancelled, "\(store): the migration was cancelled; the store is as it was")
        }
        return .done
        #else
        throw ToolError(
            .failed, "this build of coredata has no studio",
            details: [
                "Build it with 'swift build --product coredata --traits Studio'; 'bin/setup --studio' installs what "
                    + "it needs."
            ])
        #endif
    }
}
