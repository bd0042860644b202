import Foundation
import Testing

@testable import CoreData

@Suite("Retry policies")
struct RetryPolicyTests {
    /// The number of attempts that are allowed, `most` at the highest.
    private func count(_ policy: RetryPolicy, atMost most: Int = 50) -> Int {
        var attempts = Attempts(policy)
        var count = 0
        while count < most, attempts.goOn() { count += 1 }
        return count
    }

    @Test("A number, a time limit and attempts without either end the repetitions")
    func limits() {
        #expect(count(RetryPolicy(pauses: 0...0, limit: 3)) == 3)
        #expect(count(RetryPolicy(pauses: 0...0, timeout: 0)) == 0)
        #expect(count(RetryPolicy(pauses: 0...0, timeout: .nan)) == 0)
        #expect(count(RetryPolicy(immediateAttempts: 4, pauses: 0...0, timeout: 0)) == 4)
        #expect(count(RetryPolicy(immediateAttempts: 4, pauses: 0...0, limit: 6)) == 6)
        #expect(count(RetryPolicy(pauses: 0...0)) == 50)
        var attempts = Attempts(timeout: 0)
        var repetitions = 0
        while attempts.goOn() { repetitions += 1 }
        #expect(repetitions == Attempts.always - 1 && attempts.isOver)
    }

    @Test("Pauses are of the range, or twice as long each time up to the longest one")
    func pauses() {
        let fixed = RetryPolicy(pauses: 0.1...0.2)
        for repetition in 0..<100 { #expect(fixed.pauses.contains(fixed.pause(before: repetition))) }
        let growing = RetryPolicy(pauses: 0.5...0.5, upTo: 6)
        #expect((0..<6).map(growing.pause(before:)) == [0.5, 1, 2, 4, 6, 6])
        #expect(growing.pause(before: .max) == 6)
        let random = RetryPolicy(pauses: 0...1, upTo: 4)
        for repetition in 0..<100 {
            #expect((0...min(4, exp2(Double(repetition)))).contains(random.pause(before: repetition)))
        }
    }
}
