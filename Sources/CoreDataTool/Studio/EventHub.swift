import Foundation

/// Events for the pages that listen, as server-sent events.
final class EventHub: @unchecked Sendable {  // under `condition`
    private let condition = NSCondition()
    private var channels: [ObjectIdentifier: Channel] = [:]
    private var isOver = false

    private static let mostWaiting = 200
    /// The interval of empty lines, by which both sides detect that the connection still exists.
    private static let quietSeconds = 5.0
    private static let secondsToEnd = 1.0

    private final class Channel {
        var waiting: [Data] = []
        /// The first bytes open the connection for the browser.
        var isNew = true
    }

    /// Sends an event to every page.
    func send(_ name: String, _ json: JSON) {
        var bytes = Array("event: \(name)\ndata: ".utf8)
        json.append(to: &bytes)
        bytes += "\n\n".utf8
        condition.lock()
        defer { condition.unlock() }
        for channel in channels.values {
            channel.waiting.append(Data(bytes))
            if channel.waiting.count > Self.mostWaiting { channel.waiting.removeFirst() }
        }
        condition.broadcast()
    }

    /// Ends all channels after their pending events. It does not wait for a page that does not read.
    func end() {
        send("end", .object([("message", .string("The studio has ended."))]))
        let deadline = Date(timeIntervalSinceNow: Self.secondsToEnd)
        condition.lock()
        defer { condition.unlock() }
        isOver = true
        condition.broadcast()
        while !channels.isEmpty, condition.wait(until: deadline) {}
    }

    /// The parts of a new channel; nil after its end.
    func listen() -> @Sendable () -> Data? {
        let listener = Listener(hub: self)
        return { listener.next() }
    }

    /// Keeps a channel as long as its connection exists.
    private final class Listener: @unchecked Sendable {  // the channel is touched under the hub's condition
        private let hub: EventHub
        private let channel = Channel()

        init(hub: EventHub) {
            self.hub = hub
            hub.condition.lock()
            hub.channels[ObjectIdentifier(channel)] = channel
            hub.condition.unlock()
        }

        deinit {
            hub.condition.lock()
            hub.channels[ObjectIdentifier(channel)] = nil
            hub.condition.broadcast()
            hub.condition.unlock()
        }

        func next() -> Data? {
            hub.condition.lock()
            defer { hub.condition.unlock() }
            if channel.isNew {
                channel.isNew = false
                return Data(": here\n\n".utf8)
            }
            if channel.waiting.isEmpty, !hub.isOver {
                _ = hub.condition.wait(until: Date(timeIntervalSinceNow: EventHub.quietSeconds))
            }
            guard !channel.waiting.isEmpty else { return hub.isOver ? nil : Data(": here\n\n".utf8) }
            defer { channel.waiting = [] }
            return channel.waiting.reduce(into: Data()) { $0.append($1) }
        }
    }
}
