// A bookshop over HTTP:
//
//   web-service STORE [--port N] [--model VERSION] [--timeout SECONDS]
//
// STORE is a file, or the address of a PostgreSQL database where the program was built with that trait. The program
// prints its own address. Without --port it takes any port that is free. `--model 1` is the program before its model
// got languages. A connection on which nothing moves for 30 seconds, or those of --timeout, is closed.
#if canImport(CHTTPD)
import CoreData
import CoreDataManager
import WebServer
#if PostgreSQL
import CoreDataPostgreSQL
#endif

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("web-service: \(message)\n".utf8))
    exit(status)
}

var arguments = CommandLine.arguments.dropFirst()
let usage = "usage: web-service STORE [--port N] [--model VERSION] [--timeout SECONDS]"
guard let store = arguments.popFirst() else { stop(64, usage) }
var (port, model, timeout) = (UInt16(0), "Bookshop.momd", UInt32(30))
while let option = arguments.popFirst() {
    switch (option, arguments.popFirst()) {
    case ("--port", let number?):
        guard let wanted = UInt16(number) else { stop(64, usage) }
        port = wanted
    case ("--timeout", let seconds?):
        guard let wanted = UInt32(seconds), (1...3600).contains(wanted) else { stop(64, usage) }
        timeout = wanted
    case ("--model", "1"): model += "/Bookshop.mom"
    case ("--model", "2"): break
    default: stop(64, usage)
    }
}

var configuration = CoreDataManager.Configuration()
// Contexts beside each other: requests do not wait for the main thread.
configuration.layout = .siblings
// A search that reads for longer ends with an error.
configuration.storeOptions = [NSPersistentStoreRequestTimeLimitOption: 5.0]
var url = URL(fileURLWithPath: store)
#if PostgreSQL
if store.contains("://"), let address = URL(string: store) {
    (url, configuration.storeType) = (address, NSPostgreSQLStoreType)
}
#endif
let manager = CoreDataManager(
    modelURL: Bundle.module.bundleURL.appendingPathComponent(model), storeURL: url, configuration: configuration)

let shop = Bookshop(manager: manager)
guard let server = HTTPServer(port: port, timeout: timeout, handler: { shop.answer($0) }) else {
    stop(1, "nobody can listen on port \(port)")
}
// From here on /health answers. Everything else does when the store is open.
print("http://127.0.0.1:\(server.port)")
fflush(nil)
Task {
    do { try await manager.launch() } catch { stop(1, (manager.failure ?? LaunchFailure(error)).message) }
}

// The manager needs the main queue.
server.run()
#endif
