// Trips over HTTP:
//
//   trip-service [PORT]
//
// TRIPS_STORE names the store, as for `trips`. The program prints its address. Without a port it takes any that is
// free.
#if canImport(CHTTPD)
import Foundation
import SwiftData
import TripModels
import WebServer

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("trip-service: \(message)\n".utf8))
    exit(status)
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count < 2, let port = UInt16(arguments.first ?? "0") else { stop(64, "usage: trip-service [PORT]") }

// The service answers from its first moment on, and a store of an older version is migrated behind it.
let opening = ModelContainer.opening(for: Trip.self, configurations: TripStore.configuration)
let service = TripService(opening: opening)
guard let server = HTTPServer(port: port, handler: { service.answer($0) }) else { stop(1, "port \(port) is taken") }
print("http://127.0.0.1:\(server.port)")
fflush(nil)
Task {
    do { _ = try await opening.container } catch { stop(1, "\(error)") }
}
server.run()
#endif
