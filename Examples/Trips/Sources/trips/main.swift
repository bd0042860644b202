// Trips in a terminal:
//
//   trips add NAME DAY [hike|sail|train] [TOWN…]      trips list [TEXT]
//   trips remove NAME                                 trips log
//
// The store is the one of `trip-service`: TRIPS_STORE names it for both programs.
import Foundation
import SwiftData
import TripModels

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("trips: \(message)\n".utf8))
    exit(status)
}

let days = Date.ISO8601FormatStyle().year().month().day()

@MainActor func add(_ name: String, _ day: String, _ words: [String]) throws {
    guard let start = try? Date(day, strategy: days) else { stop(64, "\(day) is no day such as 2027-06-01") }
    let kind = words.first.flatMap { Trip.Kind(rawValue: $0) }
    let towns = words.dropFirst(kind == nil ? 0 : 1)
    context.insert(Trip(name: name, start: start, kind: kind ?? .hike, towns: Array(towns)))
    try context.save()
}

@MainActor func list(_ text: String) throws {
    for trip in try context.fetch(Trip.matching(text)) {
        print("\(trip.start.formatted(days))  \(trip.kind)  \(trip.name): \(trip.towns.joined(separator: ", "))")
    }
}

@MainActor func remove(_ name: String) throws {
    for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })) {
        context.delete(trip)
    }
    try context.save()
}

/// What each program has saved, in the order of the saves.
@MainActor func log() throws {
    for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
        let changes = transaction.changes.map { change in
            let entity = change.changedPersistentIdentifier.entityName
            return switch change {
            case .insert: "+\(entity)"
            case .update: "~\(entity)"
            case .delete: "-\(entity)"
            }
        }
        print("\(transaction.author ?? "?"): \(changes.sorted().joined(separator: " "))")
    }
}

let context: ModelContext
do {
    context = try ModelContainer(for: Trip.self, configurations: TripStore.configuration).mainContext
    context.author = "trips"
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("add", 3...): try add(arguments[1], arguments[2], Array(arguments.dropFirst(3)))
    case ("list", 1): try list("")
    case ("list", 2): try list(arguments[1])
    case ("remove", 2): try remove(arguments[1])
    case ("log", 1): try log()
    default: stop(64, "usage: trips add NAME DAY [hike|sail|train] [TOWN…] | list [TEXT] | remove NAME | log")
    }
} catch {
    stop(1, "\(error)")
}
