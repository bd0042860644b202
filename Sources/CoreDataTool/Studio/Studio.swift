// Implementation notes: CoreDataTool/Studio.
//
// A request goes through these parts: the browser, libmicrohttpd with a thread for each connection, `RequestCheck`,
// `Studio`, one of `StudioRows`, `StudioObject` and similar types, JSON. Remote changes, unsaved changes and migrations
// are sent to the browser as server-sent events (`EventHub`).
// - `PageFiles` reads the page's files at the start and serves no other ones. The page is `Studio/Page`: HTML, CSS and
//   modules of JavaScript, without a build step. No value of a store becomes HTML.
// - `StudioSession` has one context, on whose queue every request runs. With `--write` the page edits this context:
//   each request with a change is one group of its undo manager, and the table shows unsaved changes. The session keeps
//   the results for a table as `FetchedObjects` until a change, so scrolling reads one batch.
// - Each new read comes from the store, not from the coordinator's rows (`stalenessInterval` 0), because other programs
//   write to the store. Their saves refresh the objects that the page has not changed. Objects with changes keep the
//   row that they were read from, so saving finds the conflict. The page shows both sides, and saves by the chosen
//   merge policy.
// - `StudioMergePolicy` decides only the conflicts that were shown. `StoreFileMark` prevents saves to a file that
//   another program has replaced.
// - An export reads by a context of its own, a batch for each part that is sent.
// - A migration closes the session, runs on a thread of its own, and opens the store again. Requests during the
//   migration get an error that says so.
// - The studio continues a history that the store has, and begins none.

import CoreData
import CoreDataManager
import Foundation
import StudioServer

/// The server behind the page: it answers requests, and sends events about changes.
package final class Studio: Sendable {
    private let hub = EventHub()
    private let page: PageFiles
    private let storeText: String
    private let modelPath: String?
    private let isWritable: Bool
    private let state: Locked<State>
    private let changes = DispatchQueue(label: "studio.changes")
    private let isChangeAwaited = Locked(false)
    private let observer = Locked<(any NSObjectProtocol)?>(nil)

    private enum State: @unchecked Sendable {  // a session is used on its context's queue
        case open(StudioSession, StudioModel)
        case migrating(RunningMigration)
        /// The store could not be opened again.
        case closed(ToolError)
    }

    /// Opens the store. The model is the one that fits. If `modelPath` is given, the model's other versions are
    /// available, too.
    package init(_ storeText: String, model modelPath: String?, isWritable: Bool) throws {
        (self.storeText, self.modelPath, self.isWritable) = (storeText, modelPath, isWritable)
        page = try PageFiles()
        state = Locked(try Self.open(storeText, modelPath, isWritable))
        // One observer serves all sessions, because each opens the same store.
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
        ) { [weak self] _ in self?.noteChange() }
        self.observer.withLock { $0 = observer }
    }

    deinit {
        if let observer = observer.withLock({ $0 }) { NotificationCenter.default.removeObserver(observer) }
    }

    var shown: String {
        get throws { try open().session.store.shown }
    }

    /// The facts of CloudKit's tables in the store; nil if CloudKit does not mirror it.
    var mirror: StoreInspection.CloudMirror? {
        get throws {
            let session = try open().session
            return try session.perform { try session.store.mirror(session.context) }
        }
    }

    private static func open(_ text: String, _ modelPath: String?, _ isWritable: Bool) throws -> State {
        let file = try modelPath.map { try ModelArgument($0) }
        let store: ResolvedStore
        do {
            store = try ResolvedStore(text, model: modelPath)
        } catch let error as ToolError where file != nil {
            // The store's version may be none of the file's. Then the store is shown by its own model, and can be
            // migrated.
            guard let own = try? ResolvedStore(text) else { throw error }
            store = own
        }
        var known = file
        if known == nil, case .beside(let path) = store.origin { known = try? ModelArgument(path) }
        return .open(try StudioSession(store, isWritable: isWritable), StudioModel(file: known, store: store))
    }

    private func open() throws -> (session: StudioSession, model: StudioModel) {
        switch state.withLock({ $0 }) {
        case .open(let session, let model): return (session, model)
        case .migrating: throw StudioFailure(409, "the store is being migrated")
        case .closed(let error): throw StudioFailure(500, error.message, details: error.details)
        }
    }

    // MARK: Requests

    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        guard request.path.hasPrefix("/api/") else {
            guard request.method == .get else { return .text(405, "Files are read.") }
            return page[request.path] ?? .text(404, "There is no \(request.path).")
        }
        do {
            let name = String(request.path.dropFirst("/api/".count))
            try request.checkMarks()
            return try request.method == .get ? read(name, request) : write(name, request)
        } catch {
            return StudioFailure(error, format: request.query["where"]).response
        }
    }

    private func read(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
        if name == "events" {
            return HTTPResponse(type: "text/event-stream; charset=utf-8", body: .parts(hub.listen()))
        }
        let (session, model) = try open()
        switch name {
        case "store": return .json(try StudioOverview(session: session, model: model).json())
        case "rows": return .json(try StudioRows(session: session).answer(request))
        case "check": return .json(check(request, session))
        case "object": return .json(try StudioObject(session: session).answer(request))
        case "members": return .json(try StudioObject(session: session).members(request))
        case "value": return try StudioObject(session: session).value(request)
        case "aggregate": return .json(try StudioResults(session: session).aggregate(request))
        case "export": return try StudioResults(session: session).export(request)
        case "model": return .json(try model.json(request))
        case "diagram": return try model.diagram(request)
        case "compare": return .json(try model.comparison(request))
        case "forecast": return .json(try StudioMigration(store: session.store, model: model).forecast(request))
        case "history": return .json(try StudioHistory(session: session).answer(request))
        case "changes": return .json(try StudioHistory(session: session).changes(request))
        case "pending": return .json(try StudioEditing(session: session).pending())
        default: throw StudioFailure(404, "there is no '\(name)'")
        }
    }

    private func write(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
        if name == "stop" {
            let order: [String: String] = try request.value()
            try open().session.stop(order["work"] ?? "")
            return .json(.object([]))
        }
        guard isWritable else {
            throw StudioFailure(403, "the store was opened to be read; start 'coredata studio' with --write")
        }
        if name == "migrate/cancel" {
            if case .migrating(let running) = state.withLock({ $0 }) { running.cancel() }
            return .json(.object([]))
        }
        if name == "migrate" {
            try migrate(try request.value())
            return .json(.object([]), status: 202)
        }
        guard name.hasPrefix("edit/") else { throw StudioFailure(404, "there is no '\(name)'") }
        let session = try open().session
        defer { if name == "edit/discard" { readAnewWhereAnother(session) } }
        let answer = try StudioEditing(session: session).answer(String(name.dropFirst("edit/".count)), request)
        if case .object(let members) = answer, let pending = members.first(where: { $0.0 == "pending" }) {
            hub.send("pending", pending.1)
        }
        // Other pages show a save of this page at once. Notifications report saves of other programs.
        if name == "edit/save" || name == "edit/resolve" { noteChange() }
        return .json(answer)
    }

    /// Checks a predicate. A wrong predicate is a result here, not an error.
    private func check(_ request: HTTPRequest, _ session: StudioSession) -> JSON {
        do {
            let query = try StudioQuery(request)
            let _: NSFetchRequest<NSManagedObject> = try query.options.request(for: session.store.entity(query.entity))
            return .object([("isRight", .bool(true))])
        } catch {
            let failure = StudioFailure(error, format: request.query["where"])
            return .object([("isRight", .bool(false))] + failure.facts)
        }
    }

    // MARK: Changes

    /// Records that the store has changed. Several changes within a short time send one event.
    private func noteChange() {
        let isFirst = isChangeAwaited.withLock { isAwaited in
            defer { isAwaited = true }
            return !isAwaited
        }
        guard isFirst else { return }
        changes.async { [self] in
            isChangeAwaited.withLock { $0 = false }
            guard let session = try? open().session else { return }
            let told: JSON? = try? session.perform {
                session.refresh()
                let counts = try session.counts().map { ($0.name, JSON.integer(Int64($0.count))) }
                return .object([
                    ("generation", .integer(Int64(session.generation))), ("counts", .object(counts)),
                ])
            }
            if let told { hub.send("change", told) }
        }
    }

    // MARK: Migrating

    private func migrate(_ order: StudioMigration.Order) throws {
        let (session, model) = try open()
        let report = try StudioMigration(store: session.store, model: model).report(order)
        guard report.forecast.isMigrationRequired else {
            throw StudioFailure(409, "the store is of version \(report.target) and needs no migration")
        }
        if let refusal = report.refusal { throw StudioFailure(409, refusal.message, details: refusal.details) }
        do {
            try FollowedMigration.requireClosed(session.store.url)
        } catch {
            throw StudioFailure(409, ToolError(error).message)
        }
        let running = RunningMigration()
        let isOurs = state.withLock { state in
            guard case .open(let open, _) = state, open === session else { return false }
            state = .migrating(running)
            return true
        }
        guard isOurs else { throw StudioFailure(409, "the store is being migrated") }
        do {
            guard try session.closeIfSaved() else { throw StudioFailure(409, "save or discard the changes first") }
        } catch {
            state.withLock { $0 = .open(session, model) }
            throw error
        }
        nonisolated(unsafe) let job = report.order.job()  // only the thread uses it
        let thread = Thread { [self] in
            let outcome = Result { try running.run(job) { [hub] in hub.send("migration", $0) } }
            let opened = openedAgain()
            state.withLock { $0 = opened }
            tell(outcome)
            running.noteEnd()
        }
        thread.name = "migration"
        thread.start()
    }

    /// Opens the store again if its file is another one than the session's.
    private func readAnewWhereAnother(_ session: StudioSession) {
        guard session.context.performAndWait({ session.isFileAnother }), (try? session.closeIfSaved()) == true else {
            return
        }
        state.withLock { state in
            // A migration may have begun, which opens the store itself.
            if case .open(let open, _) = state, open === session { state = openedAgain() }
        }
        noteChange()
    }

    private func openedAgain() -> State {
        do {
            return try Self.open(storeText, modelPath, isWritable)
        } catch {
            return .closed(ToolError(error))
        }
    }

    private func tell(_ outcome: Result<Void, any Error>) {
        switch outcome {
        case .success: hub.send("migration", RunningMigration.json("done"))
        case .failure(let error):
            let error = ToolError(error)
            let isCancelled = error.status == .cancelled
            hub.send(
                "migration",
                RunningMigration.json(
                    isCancelled ? "cancelled" : "failed",
                    message: isCancelled ? "The migration was cancelled; the store is as it was." : error.message))
        }
    }

    /// The number of seconds for which the studio waits at its end for a request that is being answered.
    private static let patience = 2.0

    /// The outcome of the studio's end.
    struct Ending {
        /// Whether a migration was cancelled. The store is as it was.
        var isMigrationCancelled = false
        /// The number of objects with unsaved changes; nil if the context did not answer in time.
        var unsaved: Int? = 0
    }

    /// Cancels running work, waits for its end, and ends the channels of all pages.
    func end() -> Ending {
        var ending = Ending()
        switch state.withLock({ $0 }) {
        case .migrating(let running):
            running.cancel()
            ending.isMigrationCancelled = running.waitForEnd()
        case .open(let session, _):
            ending.unsaved = session.countUnsaved(within: Self.patience)
        case .closed: break
        }
        hub.end()
        return ending
    }
}
