import CoreDataManager
import Foundation
import TestSupport
import Testing

@Suite("Deferred values")
struct DeferredValueTests {
    private struct Refused: Error {}

    @Test("A value is loaded once for all callers, when the first one asks")
    func once() async throws {
        let loads = Box(0)
        let value = DeferredValue<Int> {
            loads.update { $0 += 1 }
            await Task.yield()
            return 42
        }
        #expect(value.ifLoaded == nil)
        #expect(loads.value == 0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await value.value } }
            for try await answer in group { #expect(answer == 42) }
        }
        #expect(loads.value == 1)
        #expect(value.ifLoaded == 42)
    }

    @Test("A value that was dropped is loaded again")
    func dropped() async throws {
        let loads = Box(0)
        let value = DeferredValue<Int> {
            loads.update { $0 += 1 }
            return loads.value
        }
        #expect(try await value.value == 1)
        value.drop()
        #expect(value.ifLoaded == nil)
        #expect(try await value.value == 2)
    }

    @Test("A failure is not kept: a later caller tries again")
    func failure() async throws {
        let loads = Box(0)
        let value = DeferredValue<Int> {
            loads.update { $0 += 1 }
            if loads.value == 1 { throw Refused() }
            return 7
        }
        await #expect(throws: Refused.self) { try await value.value }
        #expect(try await value.value == 7)
    }

    @Test("A cancelled waiter is released while the loading continues")
    func cancelled() async throws {
        let (stream, opener) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginner) = AsyncStream.makeStream(of: Void.self)
        let value = DeferredValue<Int> {
            beginner.finish()
            for await _ in stream {}
            return 1
        }
        let waiter = Task { try await value.value }
        for await _ in begun {}
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        opener.finish()
        #expect(try await value.value == 1)
    }

    @Test("A value that is dropped while it is loaded is not kept")
    func droppedWhileLoading() async throws {
        let (stream, opener) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginner) = AsyncStream.makeStream(of: Void.self)
        let value = DeferredValue<Int> {
            beginner.finish()
            for await _ in stream {}
            return 1
        }
        let waiter = Task { try await value.value }
        for await _ in begun {}
        value.drop()
        opener.finish()
        #expect(try await waiter.value == 1)
        #expect(value.ifLoaded == nil)
    }

    @Test("Beyond the cost limit the least recently used values go, and come back when they are asked for")
    func costLimit() async throws {
        let cache = DeferredValueCache(costLimit: 250)
        let values = (0..<3).map { number in
            cache.data(named: "\(number)") { Data(repeating: UInt8(number), count: 100) }
        }
        _ = try await values[0].value
        _ = try await values[1].value
        #expect(cache.cost == 200)
        _ = values[0].ifLoaded
        _ = try await values[2].value
        #expect(values[0].ifLoaded != nil)
        #expect(values[1].ifLoaded == nil)
        #expect(cache.cost == 200)
        #expect(try await values[1].value == Data(repeating: 1, count: 100))
        #expect(values[2].ifLoaded != nil || values[0].ifLoaded != nil)
        #expect(cache.cost <= 250)
    }

    @Test("A value that is larger than the limit is given out and not kept")
    func tooLarge() async throws {
        let cache = DeferredValueCache(costLimit: 10)
        let value = cache.data(named: "large") { Data(count: 11) }
        #expect(try await value.value.count == 11)
        #expect(value.ifLoaded == nil)
        #expect(cache.cost == 0)
    }

    @Test("Every value goes under memory pressure, and is loaded again when it is asked for")
    func pressure() async throws {
        let pressure = MemoryPressure()
        let cache = DeferredValueCache(pressure: pressure)
        let deaf = DeferredValueCache(pressure: nil)
        let value = cache.data(named: "x") { Data(count: 5) }
        let kept = deaf.data(named: "x") { Data(count: 5) }
        _ = try await value.value
        _ = try await kept.value
        pressure.report()
        #expect(kept.ifLoaded?.count == 5)
        #expect(value.ifLoaded == nil)
        #expect(cache.cost == 0)
        #expect(try await value.value.count == 5)
    }

    @Test("Memory pressure reaches a value by itself, and one whose cache is gone")
    func pressureWithoutCache() async throws {
        let pressure = MemoryPressure()
        let alone = DeferredValue<Int>(pressure: pressure) { 1 }
        let orphan = DeferredValueCache(pressure: pressure).data(named: "x") { Data(count: 5) }
        _ = try await (alone.value, orphan.value)
        #expect(alone.ifLoaded == 1 && orphan.ifLoaded?.count == 5)
        pressure.report()
        #expect(alone.ifLoaded == nil && orphan.ifLoaded == nil)
        #expect(try await alone.value == 1)
    }

    @Test("Values that are dropped while they are loaded, over and over, leave no cost behind")
    func dropsMeetLoads() async throws {
        let cache = DeferredValueCache(pressure: nil)
        let value = cache.data(named: "x") { Data(count: 5) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 { _ = try? await value.value }
                }
            }
            group.addTask {
                for _ in 0..<2_000 {
                    value.drop()
                    await Task.yield()
                }
            }
        }
        #expect(cache.cost == (value.ifLoaded == nil ? 0 : 5))
        value.drop()
        #expect(cache.cost == 0)
    }

    @Test("A value without references costs nothing")
    func released() async throws {
        let cache = DeferredValueCache()
        _ = try await cache.data(named: "x") { Data(count: 5) }.value
        #expect(cache.cost == 0)
    }

    @Test("Fetched data lies in the folder, until it is purged")
    func folder() async throws {
        try await withTemporaryFolder { folder in
            let fetches = Box(0)
            let place = folder.appendingPathComponent("cache")
            @Sendable func fetch() -> Data {
                fetches.update { $0 += 1 }
                return Data("https://example.org/ü.png".utf8)
            }
            let name = "https://example.org/ü.png?" + String(repeating: "long", count: 100)
            for _ in 0..<2 {
                // Another cache each time, as in another run.
                let value = DeferredValueCache(folder: place).value(named: name, fetch: fetch) {
                    String(decoding: $0, as: UTF8.self)
                }
                #expect(try await value.value == "https://example.org/ü.png")
            }
            #expect(fetches.value == 1)
            let cache = DeferredValueCache(folder: place)
            #expect(try cache.purge(keeping: 1_000) > 0)
            #expect(try cache.purge() == 0)
            _ = try await cache.data(named: name, fetch: fetch).value
            #expect(fetches.value == 2)
        }
    }

    @Test("A purge begins with the file that was not used for longest")
    func purgeOrder() async throws {
        try await withTemporaryFolder { folder in
            let cache = DeferredValueCache(folder: folder)
            for name in ["old", "new"] {
                _ = try await cache.data(named: name) { Data(count: 100) }.value
            }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)],
                ofItemAtPath: folder.appendingPathComponent("old.deferred").path)
            #expect(try cache.purge(keeping: 100) == 100)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["new.deferred"])
        }
    }

    @Test("A file that cannot be decoded is thrown away and fetched anew")
    func brokenFile() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("x.deferred")
            try Data("half".utf8).write(to: file)
            let value = DeferredValueCache(folder: folder).value(
                named: "x", fetch: { Data("whole".utf8) },
                decode: { data in
                    guard data == Data("whole".utf8) else { throw Refused() }
                    return data.count
                })
            #expect(try await value.value == 5)
            #expect(try Data(contentsOf: file) == Data("whole".utf8))
        }
    }
}
