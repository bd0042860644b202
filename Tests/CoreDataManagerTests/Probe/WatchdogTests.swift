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

    @Test("A dog that is stopped bites no more when that has returned, and may be stopped by its own bite")
    func stopped() async {
        for stopsItself in [true, false] {
            let probe = LaunchProbe()
            probe.start()
            let (begun, isOver) = (DispatchSemaphore(value: 0), Box(false))
            let dog = Box<Watchdog?>(nil)
            dog.value = Watchdog(probe, limit: 0.01) { _ in
                begun.signal()
                if stopsItself { dog.value?.stop() }
                isOver.value = true
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    begun.wait()
                    dog.value?.stop()
                    continuation.resume()
                }
            }
            #expect(isOver.value)
            probe.stop()
            dog.value = nil
        }
    }

    @Test("A watchdog does not bite for stalls before it came, nor before the probe is started")
    func before() async {
        let probe = LaunchProbe()
        let bites = Box(0)
        let early = Watchdog(probe, limit: 0.01) { _ in bites.update { $0 += 1 } }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { continuation.resume() }
        }
        early.stop()
        #expect(bites.value == 0)
        probe.start()
        probe.markFirstScreen()
        // The stall that is over when the dog comes lasts until another one bites for it.
        let bitten = DispatchSemaphore(value: 0)
        let first = Watchdog(probe, limit: 1) { _ in bitten.signal() }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                bitten.wait()
                continuation.resume()
            }
        }
        first.stop()
        await drainMain()
        while probe.report.heartbeats == 0 { await drainMain() }
        #expect(probe.report.longestStall >= 1)
        let dog = Watchdog(probe, limit: 1) { _ in bites.update { $0 += 1 } }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { continuation.resume() }
        }
        dog.stop()
        probe.stop()
        #expect(bites.value == 0)
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
