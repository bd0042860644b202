import CoreDataManager
import Foundation
import Testing

@Suite("Launch probe", .serialized)
struct LaunchProbeTests {
    /// Keeps the main queue busy for a time, as work on the main thread does.
    private func occupyMain(seconds: Double) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                let end = DispatchTime.now() + seconds
                while DispatchTime.now() < end {}
                continuation.resume()
            }
        }
    }

    @Test("Work on the main queue is a stall of its length")
    func stall() async {
        let probe = LaunchProbe()
        probe.start()
        await occupyMain(seconds: 0.1)
        let report = probe.stop()
        #expect(report.longestStall >= 0.09)
    }

    @Test("The marks are kept once, in seconds from the start")
    func marks() {
        let probe = LaunchProbe()
        probe.start()
        probe.markFirstScreen()
        probe.markReady()
        let first = probe.report
        probe.markFirstScreen()
        probe.markReady()
        let second = probe.stop()
        #expect(first.timeToFirstScreen != nil)
        #expect(first.timeToFirstScreen == second.timeToFirstScreen)
        #expect(first.timeToReady == second.timeToReady)
        #expect((first.timeToFirstScreen ?? 1) <= (first.timeToReady ?? 0))
    }

    @Test("A forgotten stall does not count for later ones")
    func reset() async {
        let probe = LaunchProbe()
        probe.start()
        await occupyMain(seconds: 0.2)
        let before = probe.report.longestStall
        probe.resetStalls()
        let after = probe.stop().longestStall
        #expect(before >= 0.19)
        #expect(after < before)
    }
}
