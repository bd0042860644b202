#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// The servers of an address that names several, one of which takes writes. Connections to them are tried at the
/// same time, so that a server that does not answer causes no delay. The server of the last connection is tried
/// first.
struct PostgreSQLHosts {
    /// The time after which the next server is tried, too.
    private static let headStart = Duration.milliseconds(250)
    /// The time to wait until another server takes over from one that was lost.
    static let patience = Duration.seconds(30)

    /// The port of a host for which the address names none.
    private static let usualPort = "5432"

    private let address: PostgreSQLAddress
    /// The settings of each server, which follow those of the address.
    private let places: [[PostgreSQLAddress.Setting]]
    private let attributes: String

    /// The place of the server that is tried first, by addresses.
    private static let preferred = Locked<[String: Int]>([:])

    /// - Returns: nil where there is one server, or where libpq chooses by rules of its own.
    init?(_ address: PostgreSQLAddress, _ known: PostgreSQLConnectionOptions) {
        func list(_ name: String) -> [String] {
            known.values[name].map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            } ?? []
        }
        let (hosts, numbers) = (list("host"), list("hostaddr"))
        // A URL gives a place for the port of each host, which is empty where it names none.
        let ports = list("port").map { $0.isEmpty ? Self.usualPort : $0 }
        let count = max(hosts.count, numbers.count)
        let said = known.values["target_session_attrs"] ?? "any"
        guard count > 1, said != "prefer-standby", [1, 0, count].contains(ports.count),
            [0, count].contains(hosts.count), [0, count].contains(numbers.count),
            !hosts.contains(""), !numbers.contains("")
        else { return nil }
        self.address = address
        attributes = said == "any" && !address.saysAttributes && !address.mayLeadToStandby ? "read-write" : said
        places = (0..<count).map { place in
            func setting(_ name: String, _ list: [String]) -> [PostgreSQLAddress.Setting] {
                list.isEmpty ? [] : [.init(name: name, value: list.count == 1 ? list[0] : list[place])]
            }
            return setting("host", hosts) + setting("hostaddr", numbers) + setting("port", ports)
        }
    }

    /// The settings of libpq for one of the servers.
    private func settings(_ place: Int) -> [(String, String)] {
        // Values in the URL have priority.
        let way = [
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
        ]
        var all = address.settings
        all.insert(contentsOf: way, at: all.firstIndex { $0.0 == "dbname" } ?? 0)
        return all + places[place].map { ($0.name, $0.value) } + [("target_session_attrs", attributes)]
    }

    /// The place of the server that is tried first.
    private var first: Int { Self.preferred.withLock { $0[address.description] ?? 0 } }

    /// Makes the next connection try another server first, because another server has taken over from the one at
    /// `place`.
    static func distrust(_ address: PostgreSQLAddress, _ place: Int) {
        preferred.withLock { if $0[address.description] ?? 0 == place { $0[address.description] = place + 1 } }
    }

    /// One of the servers.
    struct Server {
        var place: Int
        var settings: [(String, String)]
    }

    private struct Attempt {
        let place: Int
        let handle: OpaquePointer
        let end: ContinuousClock.Instant?
        var waitsFor = PGRES_POLLING_WRITING
    }

    /// Connects to the first server that answers and has the wanted attributes. Throws an error with the failures
    /// of all servers if there is none.
    func connected(
        seconds: Int, _ begin: ([(String, String)]) throws -> OpaquePointer,
        _ failure: (OpaquePointer) -> PostgreSQLError
    ) throws -> (handle: OpaquePointer, server: Server?) {
        let start = first
        var waiting = places.indices.map { (start + $0) % places.count }
        var attempts: [Attempt] = []
        var failures: [PostgreSQLError] = []
        var next = ContinuousClock.now
        defer { for attempt in attempts { PQfinish(attempt.handle) } }
        while !waiting.isEmpty || !attempts.isEmpty {
            let now = ContinuousClock.now
            if !waiting.isEmpty, attempts.isEmpty || now >= next {
                let place = waiting.removeFirst()
                let handle = try begin(settings(place))
                PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
                next = now + Self.headStart
                attempts.append(
                    Attempt(
                        place: place, handle: handle, end: seconds > 0 ? now + .seconds(max(2, seconds)) : nil))
                continue
            }
            var descriptors = attempts.map { attempt in
                let events = attempt.waitsFor == PGRES_POLLING_READING ? POLLIN : POLLOUT
                return pollfd(fd: PQsocket(attempt.handle), events: Int16(events), revents: 0)
            }
            let ends = attempts.compactMap(\.end) + (waiting.isEmpty ? [] : [next])
            let left = ends.min().map { Self.milliseconds($0 - now) } ?? -1
            poll(&descriptors, nfds_t(descriptors.count), left)
            for place in attempts.indices.reversed() {
                var attempt = attempts[place]
                let isBad = PQstatus(attempt.handle) == CONNECTION_BAD
                if isBad || descriptors[place].revents != 0 {
                    attempt.waitsFor = isBad ? PGRES_POLLING_FAILED : PQconnectPoll(attempt.handle)
                }
                switch attempt.waitsFor {
                case PGRES_POLLING_OK:
                    attempts.remove(at: place)
                    Self.preferred.withLock { $0[address.description] = attempt.place }
                    return (attempt.handle, Server(place: attempt.place, settings: settings(attempt.place)))
                case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
                    if let end = attempt.end, end <= ContinuousClock.now {
                        failures.append(
                            PostgreSQLError(
                                state: PostgreSQLError.unreachable,
                                message: "It did not answer within \(seconds) seconds.",
                                address: address.description))
                        attempts.remove(at: place)
                        PQfinish(attempt.handle)
                    } else {
                        attempts[place] = attempt
                    }
                default:
                    failures.append(failure(attempt.handle))
                    attempts.remove(at: place)
                    PQfinish(attempt.handle)
                }
            }
        }
        // The error of a server that gives a reason is more useful than that of one that is not there or only
        // reads.
        var error =
            failures.first { ![PostgreSQLError.unreachable, "57P03", "57P01"].contains($0.state) }
            ?? failures.first
            ?? PostgreSQLError(
                state: PostgreSQLError.unreachable, message: "No server answers.", address: address.description)
        if error.state == PostgreSQLError.unreachable {
            error.message = failures.map(\.message).joined(separator: "; ")
        }
        error.patience = Self.patience
        throw error
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let parts = duration.components
        return Int32(clamping: max(0, parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000 + 1))
    }
}
#endif
