import Foundation
import TestSupport

/// The log of `Tests/Faults`: the calls that changed something, in their order.
enum DiskEvent: Sendable {
    case open(Int, isNew: Bool, isEmptied: Bool, String)
    case write(Int, offset: Int, [UInt8])
    case truncate(Int, size: Int)
    case sync(Int)
    case rename(String, String)
    case exchange(String, String)
    case link(String, String)
    case unlink(String)
    case make(String, isFolder: Bool)
    /// The program has reported that it is done.
    case done

    /// What it is for a program that comes back and relies on what was done before; nil for calls on which none does.
    /// Calls about the same file are one.
    var decision: String? {
        func name(_ path: String) -> String {
            path.split(separator: "/").map { UUID(uuidString: String($0.suffix(36))) == nil ? String($0) : "*" }
                .joined(separator: "/")
        }
        switch self {
        case .rename(_, let path): return "rename \(name(path))"
        case .exchange(_, let path): return "exchange \(name(path))"
        case .unlink(let path): return "unlink \(name(path))"
        case .done: return "done"
        case .open, .write, .truncate, .sync, .link, .make: return nil
        }
    }

    /// The events of a log, with paths below a folder.
    static func read(_ log: URL, below folder: String) throws -> [DiskEvent] {
        let bytes = [UInt8](try Data(contentsOf: log))
        var events: [DiskEvent] = []
        var place = 0
        func path(_ text: Substring) -> String { String(text.dropFirst(folder.utf8.count + 1)) }
        while let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: bytes[place..<end], as: UTF8.self)
                .split(separator: "\t", omittingEmptySubsequences: false)
            func number(_ word: Int) -> Int { Int(words[word]) ?? 0 }
            place = end + 1
            switch words[0] {
            case "open":
                events.append(.open(number(1), isNew: words[2] == "1", isEmptied: words[3] == "1", path(words[4])))
            case "write":
                events.append(.write(number(1), offset: number(2), Array(bytes[place..<place + number(3)])))
                place += number(3) + 1
            case "truncate": events.append(.truncate(number(1), size: number(2)))
            case "sync": events.append(.sync(number(1)))
            case "rename": events.append(.rename(path(words[1]), path(words[2])))
            case "exchange": events.append(.exchange(path(words[1]), path(words[2])))
            case "link": events.append(.link(path(words[1]), path(words[2])))
            case "unlink": events.append(.unlink(path(words[1])))
            case "folder": events.append(.make(path(words[1]), isFolder: true))
            case "file": events.append(.make(path(words[1]), isFolder: false))
            case "done": events.append(.done)
            default: throw FaultFixture.Failure(description: "a log with “\(words[0])”")
            }
        }
        return events
    }
}

/// A disk with a cache that loses its power.
///
/// Names are kept as a journal keeps them: of their changes a prefix survives. It has at least all that concern a
/// folder or a file up to its last sync, and what came before those. Of what was written into a file since its last
/// sync each sector of 512 bytes survives, or not. Lengths survive in their order, and a file can have grown by zeros.
struct SimulatedDisk {
    private final class Node {
        let isFolder: Bool
        /// The present files, and those that have reached the disk for sure.
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        /// The changes of the bytes since.
        var changes: [Change] = []
        /// How many changes of names there were when the last one came that concerns it.
        var namings = 0

        init(isFolder: Bool) { self.isFolder = isFolder }
    }

    private enum Change {
        case write(offset: Int, [UInt8])
        case truncate(Int)
    }

    private enum Naming {
        case set(String, Node)
        case move(String, String)
        case exchange(String, String)
        case remove(String)
    }

    private typealias Names = [String: Node]

    private var first: Names = [:]
    private var names: Names = [:]
    private var namings: [Naming] = []
    private var durableNamings = 0
    private var openings: [Int: Node] = [:]

    /// The disk as it was before: all of it is durable.
    init(_ before: FolderContents) {
        names[""] = Node(isFolder: true)
        for (path, data) in before.files {
            let node = Node(isFolder: data == nil)
            node.bytes = data.map { [UInt8]($0) } ?? []
            node.durable = node.bytes
            names[path] = node
        }
        first = names
    }

    // MARK: Events

    mutating func take(_ event: DiskEvent) {
        switch event {
        case .open(let opening, let isNew, let isEmptied, let path):
            if isNew { name(.set(path, Node(isFolder: false)), [path]) }
            guard let node = names[path] else { return }
            openings[opening] = node
            if isEmptied, !node.bytes.isEmpty { truncate(node, 0) }
        case .write(let opening, let offset, let bytes):
            guard let node = openings[opening] else { return }
            Self.put(bytes[...], at: offset, into: &node.bytes)
            node.changes.append(.write(offset: offset, bytes))
        case .truncate(let opening, let size):
            if let node = openings[opening] { truncate(node, size) }
        case .sync(let opening):
            guard let node = openings[opening] else { return }
            durableNamings = max(durableNamings, node.namings)
            node.durable = node.bytes
            node.changes = []
        case .rename(let from, let to): name(.move(from, to), [from, to])
        case .exchange(let one, let other): name(.exchange(one, other), [one, other])
        case .link(let from, let to):
            if let node = names[from] { name(.set(to, node), [to]) }
        case .unlink(let path): name(.remove(path), [path])
        case .make(let path, let isFolder): name(.set(path, Node(isFolder: isFolder)), [path])
        case .done: break
        }
    }

    private func truncate(_ node: Node, _ size: Int) {
        Self.resize(&node.bytes, to: size)
        node.changes.append(.truncate(size))
    }

    private mutating func name(_ naming: Naming, _ paths: [String]) {
        let before = paths.compactMap { names[$0] }
        Self.apply(naming, to: &names)
        namings.append(naming)
        let after = paths.compactMap { names[$0] }
        let folders = paths.compactMap { names[($0 as NSString).deletingLastPathComponent] }
        for node in before + after + folders { node.namings = namings.count }
    }

    private static func apply(_ naming: Naming, to names: inout Names) {
        /// The entries below a path, with the rest of their paths.
        func below(_ path: String) -> [(String, Node)] {
            names.filter { $0.key == path || $0.key.hasPrefix(path + "/") }.map {
                (String($0.key.dropFirst(path.count)), $0.value)
            }
        }
        func remove(_ path: String) { for (rest, _) in below(path) { names[path + rest] = nil } }
        func set(_ path: String, _ nodes: [(String, Node)]) { for (rest, node) in nodes { names[path + rest] = node } }
        switch naming {
        case .set(let path, let node): names[path] = node
        case .move(let from, let to):
            let nodes = below(from)
            remove(from)
            remove(to)
            set(to, nodes)
        case .exchange(let one, let other):
            let (first, second) = (below(one), below(other))
            remove(one)
            remove(other)
            set(one, second)
            set(other, first)
        case .remove(let path): remove(path)
        }
    }

    private static func put(_ piece: ArraySlice<UInt8>, at offset: Int, into bytes: inout [UInt8]) {
        if bytes.count < offset + piece.count { resize(&bytes, to: offset + piece.count) }
        bytes.replaceSubrange(offset..<offset + piece.count, with: piece)
    }

    private static func resize(_ bytes: inout [UInt8], to size: Int) {
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
    }

    // MARK: The loss

    /// Writes into an empty folder what is found when the power is there again.
    func lose(into folder: URL, _ numbers: inout SplitMix) throws {
        var left = first
        let survivors = durableNamings + Self.some(of: namings.count - durableNamings, &numbers)
        for naming in namings.prefix(survivors) { Self.apply(naming, to: &left) }
        var contents: [ObjectIdentifier: [UInt8]] = [:]
        for (path, node) in left.sorted(by: { $0.key < $1.key }) where !path.isEmpty {
            let url = folder.appendingPathComponent(path)
            if node.isFolder {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                continue
            }
            // The index of a -wal is written by mapped memory, which is not logged, and made anew.
            if path.hasSuffix("-shm") { continue }
            let bytes = contents[ObjectIdentifier(node)] ?? Self.survivingBytes(of: node, &numbers)
            contents[ObjectIdentifier(node)] = bytes
            try Data(bytes).write(to: url)
        }
    }

    /// None, all, or any number of these.
    private static func some(of count: Int, _ numbers: inout SplitMix) -> Int {
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: 0
        case 1: count
        default: Int.random(in: 0...count, using: &numbers)
        }
    }

    private static let sector = 512

    private static func survivingBytes(of node: Node, _ numbers: inout SplitMix) -> [UInt8] {
        var bytes = node.durable
        let share = [0, 0.1, 0.5, 0.9, 1][Int.random(in: 0..<5, using: &numbers)]
        let truncations = node.changes.count { if case .truncate = $0 { true } else { false } }
        var rest = some(of: truncations, &numbers)
        for change in node.changes {
            switch change {
            case .truncate(let size):
                if rest > 0 { resize(&bytes, to: size) }
                rest -= 1
            case .write(let offset, let written):
                var start = offset
                while start < offset + written.count {
                    let end = min((start / sector + 1) * sector, offset + written.count)
                    if Double.random(in: 0..<1, using: &numbers) < share {
                        put(written[start - offset..<end - offset], at: start, into: &bytes)
                    }
                    start = end
                }
            }
        }
        if bytes.count < node.bytes.count, Bool.random(using: &numbers) { resize(&bytes, to: node.bytes.count) }
        return bytes
    }
}
