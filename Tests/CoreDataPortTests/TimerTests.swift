import Testing

@testable import CoreDataPort

@Suite("Porting timers by selector")
struct TimerTests {
    @Test("A timer that calls a method gets a block that does")
    func methods() throws {
        let ported = try Ported(
            """
            import CoreData
            class A {
                func f() {
                    timer = Timer(fireAt: .tomorrow, interval: .day,
                                  target: self,
                                  selector: #selector(clean),
                                  userInfo: nil,
                                  repeats: true)
                    Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick(_:)), userInfo: nil,
                        repeats: f(a))
                        .tolerance = 1
                    t = Timer(timeInterval: 1, target: other, selector: #selector(A.count(of:)), userInfo: nil,
                        repeats: false)
                }
                func clean() {}
                func tick(_ timer: Timer) {}
                func count(of timer: Timer) {}
            }
            """)
        #expect(
            ported.text == """
                import CoreData
                class A {
                    func f() {
                        timer = Timer(fire: .tomorrow, interval: .day,
                                      repeats: true, block: { _ in self.clean() })
                        Timer.scheduledTimer(withTimeInterval: 1, repeats: f(a), block: { timer in self.tick(timer) })
                            .tolerance = 1
                        t = Timer(timeInterval: 1, repeats: false, block: { timer in other.count(of: timer) })
                    }
                    func clean() {}
                    func tick(_ timer: Timer) {}
                    func count(of timer: Timer) {}
                }
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test(
        "One whose method is not in the file, or that carries something, is reported",
        arguments: [
            "Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)",
            "func tick() {}; Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: a, repeats: f)",
            "func tick() {}; Timer(timeInterval: 1, target: a.b, selector: #selector(tick), userInfo: nil, repeats: f)",
            "func tick() {}; func tick(_ a: A) {}; "
                + "Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)",
        ])
    func others(source: String) throws {
        let ported = try Ported(source)
        #expect(ported.porting.changed.isEmpty)
        #expect(ported.byHand.count == 1 && ported.byHand[0].contains("there are no selectors on Linux"))
    }
}
