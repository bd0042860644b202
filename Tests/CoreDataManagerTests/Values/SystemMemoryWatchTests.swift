import Foundation
import Testing

@testable import CoreDataManager

@Suite("Watching the machine's memory")
struct SystemMemoryWatchTests {
    @Test("The machine's memory is short where less than a twentieth is left")
    func machine() {
        func meminfo(_ available: Int) -> String {
            "MemTotal:       24684096 kB\nMemFree:          100 kB\nMemAvailable:   \(available) kB\nBuffers: 1 kB\n"
        }
        #expect(!SystemMemoryWatch.isShort(meminfo: meminfo(2_000_000)))
        #expect(SystemMemoryWatch.isShort(meminfo: meminfo(1_000_000)))
        #expect(!SystemMemoryWatch.isShort(meminfo: "none of it"))
    }

    @Test("A group's memory is short by its own limit; files that can be read again do not count")
    func group() {
        func isShort(_ limit: String, _ used: Int, files: Int) -> Bool {
            SystemMemoryWatch.isShort(
                limit: "\(limit)\n", used: "\(used)\n", statistics: "anon 1\ninactive_file \(files)\nactive_file 7\n")
        }
        #expect(!isShort("1000000", 900_000, files: 0))
        #expect(isShort("1000000", 990_000, files: 0))
        #expect(!isShort("1000000", 990_000, files: 500_000))
        #expect(!isShort("max", 990_000, files: 0))
        #expect(SystemMemoryWatch.group("1:name=x:/\n0::/user.slice\n") == "/sys/fs/cgroup/user.slice")
        #expect(SystemMemoryWatch.group("1:name=x:/\n") == nil)
    }

    @Test("It is said once, and again when it has lasted")
    func patience() {
        let patience = SystemMemoryWatch.Patience()
        let said = (0..<21).map { _ in patience.shouldReport(isShort: true) }
        #expect(said.indices.filter { said[$0] } == [0, 10, 20])
        #expect(!patience.shouldReport(isShort: false))
        #expect(patience.shouldReport(isShort: true))
    }

    @Test("The machine is watched while a stream is read")
    func watched() {
        let watches = Box(0)
        final class Watch: Sendable {
            let count: Box<Int>
            init(_ count: Box<Int>) {
                self.count = count
                count.update { $0 += 1 }
            }
            deinit { count.update { $0 -= 1 } }
        }
        let pressure = MemoryPressure { _ in Watch(watches) }
        #expect(watches.value == 0)
        var caches = (0..<2).map { _ in DeferredValueCache(pressure: pressure) }
        #expect(watches.value == 1)
        caches.removeLast()
        #expect(watches.value == 1)
        caches.removeAll()
        #expect(watches.value == 0)
    }
}
