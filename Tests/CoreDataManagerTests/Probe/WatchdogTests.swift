import CoreDataManager
import Foundation
import TestSupport
import Testing

@Suite("Watchdog", .serialized)
struct WatchdogTests {
    @Test("A main queue that does not answer for the limit is bitten once, while it is still stuck")
    func stall() async {
        let probe = LaunchProbe()
        let bites = Box<[Watchdog.Bite]>([])
        let bitten = DispatchSemaphore(value: 0)
        probe.start()
        probe.markFirstScreen()
        let dog = Watchdog(probe, limit: 0.1) { bite in
            bites.update { $0.append(bite) }
            bitten.signal()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                bitten.wait()
                continuation.resume()
            }
        }
        dog.stop()
        probe.stop()
        #expect(bites.value.count == 1)
        guard case .stalled(let seconds)? = bites.value.first else {
            Issue.record("bitten for \(bites.value)")
            return
        }
        #expect(seconds >= 0.1)
    }

    @Test("A launch without a screen is bitten although the main queue answers")
    func noScreen() async {
        let probe = LaunchProbe()
        probe.start()
        let dog = Box<Watchdog?>(nil)
        let bite = await withCheckedContinuation { continuation in
            dog.value = Watchdog(probe, limit: 0.3) { continuation.resume(returning: $0) }
        }
        probe.stop()
        switch bite {
        case .noScreen(let seconds): #expect(seconds >= 0.3)
        case .stalled(let seconds): #expect(seconds >= 0.3, "a busy machine's main queue may be late by as much")
        }
        dog.value?.stop()
    }
}
