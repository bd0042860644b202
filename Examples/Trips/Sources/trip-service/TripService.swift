#if canImport(CHTTPD)
import Foundation
import SwiftData
import TripModels
import WebServer

/// What the service answers. Each request has a context of its own, on the thread of its connection.
struct TripService: Sendable {
    let opening: ContainerOpening

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        guard let container = try? opening.containerOrThrow() else {
            return json(["error": "the store is \(opening.state)"], status: 503)
        }
        let context = ModelContext(container)
        context.author = "trip-service"
        do {
            switch (request.method, request.path.first, request.path.count) {
            case ("GET", "trips", 1):
                let trips = try context.fetch(Trip.matching(request.query("text") ?? ""))
                return json(trips.map(TripForm.init))
            case ("POST", "trips", 1):
                let trip = Trip(try decoder.decode(TripForm.self, from: request.body))
                context.insert(trip)
                try context.save()
                return json(TripForm(trip), status: 201)
            case ("GET", "trips", 2): return json(TripForm(try trip(request, in: context)))
            case ("DELETE", "trips", 2):
                context.delete(try trip(request, in: context))
                try context.save()
                return HTTPResponse(status: 204, headers: [:])
            default: return json(["error": "there is nothing here"], status: 404)
            }
        } catch is NoSuchTrip {
            return json(["error": "there is no such trip"], status: 404)
        } catch let error as DecodingError {
            return json(["error": "\(error)"], status: 400)
        } catch {
            FileHandle.standardError.write(Data("trip-service: \(error)\n".utf8))
            return json(["error": "the service has failed"], status: 500)
        }
    }

    private struct NoSuchTrip: Error {}

    private func trip(_ request: HTTPRequest, in context: ModelContext) throws -> Trip {
        guard let id = UUID(uuidString: request.path[1]),
            let trip = try context.fetch(Trip.identified(by: id)).first
        else { throw NoSuchTrip() }
        return trip
    }

    private var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    private func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        guard let body = try? encoder.encode(value) else { return HTTPResponse(status: 500) }
        return HTTPResponse(status: status, body: body + Data("\n".utf8))
    }
}

/// A trip as clients send it and get it.
struct TripForm: Codable {
    var id: UUID?
    var name: String
    var start: Date
    var kind: Trip.Kind?
    var towns: [String]?

    init(_ trip: Trip) {
        (id, name, start, kind, towns) = (trip.id, trip.name, trip.start, trip.kind, trip.towns)
    }
}

extension Trip {
    convenience init(_ form: TripForm) {
        self.init(name: form.name, start: form.start, kind: form.kind ?? .hike, towns: form.towns ?? [])
    }
}
#endif
