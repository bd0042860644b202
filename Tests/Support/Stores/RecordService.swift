import CoreData
import Foundation

/// Stands for a service elsewhere that keeps records: dictionaries by entity and number. Records its requests.
public final class RecordService: @unchecked Sendable {  // state is used under `lock` only
    /// A record as the service sends it; relationships are lists of names.
    public struct Record {
        public var values: [String: Any] = [:]
        /// By relationship, the records it leads to.
        public var links: [String: [Name]] = [:]
        public var version: UInt64 = 1
    }

    /// The name of a record.
    public struct Name: Hashable, Sendable {
        public var entity: String
        public var number: Int

        public init(entity: String, number: Int) {
            self.entity = entity
            self.number = number
        }
    }

    private let lock = NSLock()
    private var records: [Name: Record] = [:]
    private var highest = 0
    private var log: [String] = []
    private var names: [String?] = []
    private var isDown = false
    private var whenAsked: (@Sendable (String) -> Void)?

    /// The identifier of the service; the stores on it have it as theirs.
    public let identifier = UUID().uuidString

    private static let services = Locked<[URL: RecordService]>([:])

    /// The service at an address.
    public static func at(_ url: URL) -> RecordService {
        services.withLock { services in
            if let known = services[url] { return known }
            let new = RecordService()
            services[url] = new
            return new
        }
    }

    /// The requests to the service, oldest first: `fetch Book`, `values Book/1`, `members Book/1.tags`, `save 1 0 0`.
    public var requests: [String] { lock.withLock { log } }

    /// Runs a body at each request that is noted, before it is answered.
    public func setWhenAsked(_ body: (@Sendable (String) -> Void)?) { lock.withLock { whenAsked = body } }

    public func note(_ request: String) {
        let hook = lock.withLock {
            log.append(request)
            return whenAsked
        }
        hook?(request)
    }

    /// The names of the contexts that fetches came with.
    public var askers: [String?] { lock.withLock { names } }
    public func noteAsker(_ name: String?) { lock.withLock { names.append(name) } }

    /// Takes the service off the net: everything fails from here on, or works again.
    public func setDown(_ down: Bool) { lock.withLock { isDown = down } }

    func requireUp() throws {
        if lock.withLock({ isDown }) { throw URLError(.notConnectedToInternet) }
    }

    public func names(of entities: Set<String>) -> [Name] {
        lock.withLock { records.keys.filter { entities.contains($0.entity) }.sorted { $0.number < $1.number } }
    }

    public func record(_ name: Name) -> Record? { lock.withLock { records[name] } }

    public func newName(_ entity: String) -> Name {
        lock.withLock {
            highest += 1
            return Name(entity: entity, number: highest)
        }
    }

    /// Puts a record in the place of the one before; its version rises.
    public func put(_ record: Record, as name: Name) {
        lock.withLock {
            var record = record
            record.version = (records[name]?.version ?? 0) + 1
            records[name] = record
        }
    }

    public func remove(_ name: Name) { lock.withLock { records[name] = nil } }
}
