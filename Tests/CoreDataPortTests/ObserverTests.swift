import Testing

@testable import CoreDataPort

@Suite("Porting observers by selector")
struct ObserverTests {
    @Test(
        "The selector of an observer becomes the method, kept under a name or not, and observers are removed as before")
    func observers() throws {
        let ported = try Ported(
            """
            import Foundation
            class A {
                let kept = #selector(saved)
                func begin() {
                    NotificationCenter.default.addObserver(self, selector: #selector(A.saved(_:)), name: .saved,
                        object: f(context))
                    center.addObserver(self, selector: #selector(saw), name: name, object: nil)
                    center.addObserver(self, selector: #selector(self.saw), name: name, object: nil)
                    center.addObserver(self, selector: kept, name: name, object: nil)
                    center.addObserver(other, selector: #selector(Other<T>.saved(_:)), name: name, object: nil)
                }
                func stop() { center.removeObserver(self) }
                class B {
                    func begin() { center.addObserver(self, selector: #selector(Self.saw), name: name, object: nil) }
                }
            }

            """)
        #expect(
            ported.text == """
                import Foundation
                import CoreData
                class A {
                    let kept = A.saved
                    func begin() {
                        NotificationCenter.default.addObserver(self, selector: A.saved(_:), name: .saved,
                            object: f(context))
                        center.addObserver(self, selector: A.saw, name: name, object: nil)
                        center.addObserver(self, selector: A.saw, name: name, object: nil)
                        center.addObserver(self, selector: kept, name: name, object: nil)
                        center.addObserver(other, selector: Other<T>.saved(_:), name: name, object: nil)
                    }
                    func stop() { center.removeObserver(self) }
                    class B {
                        func begin() { center.addObserver(self, selector: A.B.saw, name: name, object: nil) }
                    }
                }

                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("A note names selectors of no observer, and those of another object without its type")
    func told() throws {
        let ported = try Ported(
            """
            import CoreData
            class A {
                let unused = #selector(saved)
                func f() {
                    center.addObserver(other, selector: #selector(saved), name: nil, object: nil)
                    center.addObserver(self, selector: #selector(getter: A.title), name: nil, object: nil)
                    control.perform(#selector(A.saved(_:)))
                }
            }
            """)
        #expect(ported.porting.changed.isEmpty)
        #expect(ported.byHand.map { $0.prefix { $0 != " " } } == ["3:18:", "5:45:", "6:44:", "7:25:"])
    }

    @Test("An observer that a local holds gets the method of its class, and is removed as before")
    func locals() throws {
        let ported = try Ported(
            """
            import CoreData
            class A {
                func f(_ third: C) {
                    queue.async { [weak self] in
                        guard let strongSelf = self else { return }
                        center.addObserver(strongSelf, selector: #selector(saved(_:)), name: name, object: nil)
                        center.addObserver(strongSelf, selector: #selector(strongSelf.saved), name: name, object: nil)
                        center.removeObserver(strongSelf, name: name, object: nil)
                    }
                    let other = B()
                    center.addObserver(other, selector: #selector(other.saved), name: name, object: nil)
                    center.addObserver(third, selector: #selector(C.saved), name: name, object: nil)
                    center.addObserver(third, selector: #selector(third.saved), name: name, object: nil)
                    let fourth = make()
                    center.addObserver(fourth, selector: #selector(fourth.saved), name: name, object: nil)
                }
            }
            """)
        #expect(
            ported.text == """
                import CoreData
                class A {
                    func f(_ third: C) {
                        queue.async { [weak self] in
                            guard let strongSelf = self else { return }
                            center.addObserver(strongSelf, selector: A.saved(_:), name: name, object: nil)
                            center.addObserver(strongSelf, selector: A.saved, name: name, object: nil)
                            center.removeObserver(strongSelf, name: name, object: nil)
                        }
                        let other = B()
                        center.addObserver(other, selector: B.saved, name: name, object: nil)
                        center.addObserver(third, selector: C.saved, name: name, object: nil)
                        center.addObserver(third, selector: C.saved, name: name, object: nil)
                        let fourth = make()
                        center.addObserver(fourth, selector: #selector(fourth.saved), name: name, object: nil)
                    }
                }
                """)
        #expect(ported.byHand.map { $0.prefix { $0 != " " } } == ["15:46:"])
    }
}
