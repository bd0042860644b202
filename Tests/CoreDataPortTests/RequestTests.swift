import Testing

@testable import CoreDataPort

@Suite("Porting the types of fetch requests")
struct RequestTests {
    @Test("The result of a request that a function takes is said to be one where another function of the name says so")
    func genericRequests() throws {
        let ported = try Ported([
            "A.swift": """
            import CoreData
            protocol Inspector {
                func inspect<Key, Result>(_ key: Key, _ request: NSFetchRequest<Result>)
                func count<Result>(_ request: NSFetchRequest<Result>)
            }
            """,
            "B.swift": """
            import CoreData
            class Mock: Inspector {
                func inspect<Result: NSFetchRequestResult>(_ key: Int, _ request: NSFetchRequest<Result>) {}
            }
            """,
        ])
        #expect(ported.porting.changed.count == 1)
        #expect(
            ported.text("A.swift") == """
                import CoreData
                protocol Inspector {
                    func inspect<Key, Result: NSFetchRequestResult>(_ key: Key, _ request: NSFetchRequest<Result>)
                    func count<Result>(_ request: NSFetchRequest<Result>)
                }
                """)
    }

    @Test("A class's request that is to give something else than objects is one of any result")
    func plainRequests() throws {
        let ported = try Ported(
            """
            import CoreData
            func f() {
                let request = Note.fetchRequest()
                request.resultType = .dictionaryResultType
                var ids = Kit.Note.fetchRequest()
                ids.resultType = NSFetchRequestResultType.managedObjectIDResultType
                let plain = Note.fetchRequest(), typed: NSFetchRequest<NSFetchRequestResult> = Note.fetchRequest()
                typed.resultType = .countResultType
            }
            func g() { let request = Note.fetchRequest() }
            """)
        #expect(
            ported.text == """
                import CoreData
                func f() {
                    let request: NSFetchRequest<any NSFetchRequestResult> = Note.fetchRequest()
                    request.resultType = .dictionaryResultType
                    var ids: NSFetchRequest<any NSFetchRequestResult> = Kit.Note.fetchRequest()
                    ids.resultType = NSFetchRequestResultType.managedObjectIDResultType
                    let plain = Note.fetchRequest(), typed: NSFetchRequest<NSFetchRequestResult> = Note.fetchRequest()
                    typed.resultType = .countResultType
                }
                func g() { let request = Note.fetchRequest() }
                """)
    }

    @Test("Casts between kinds of fetched results controllers are reported")
    func controllerCasts() throws {
        let ported = try Ported(
            """
            import CoreData
            func f(_ c: NSFetchedResultsController<Note>) -> Any? {
                g(c as! NSFetchedResultsController<NSFetchRequestResult>)
                return c as? NSFetchedResultsController<any NSFetchRequestResult>
            }
            """)
        let message = "a fetched results controller casts to its own type only: let it be made with that type"
        #expect(ported.text == nil)
        #expect(ported.byHand == ["3:9: \(message)", "4:14: \(message)"])
    }

    @Test("A cast of whatever gives a request becomes a request of the other type")
    func castsOfResults() throws {
        let ported = try Ported(
            """
            import CoreData
            let a = make(1, "x").request as? NSFetchRequest<NSFetchRequestResult>
            let b = try await self.source?.requests[0]!.copied { $0 } as! NSFetchRequest<any NSFetchRequestResult>
            func f() -> NSFetchRequest<Note> { return (try? g()) as! NSFetchRequest<Note> }
            let c = .shared.request() as? NSFetchRequest<Note> ?? Kit<Note>(#keyPath(Note.title)) as? NSFetchRequest<Note>
            func g(_ request: NSPersistentStoreRequest) {
                if let r = request as? NSFetchRequest<NSFetchRequestResult>, r.fetchLimit == 1 { r.fetchLimit = 2 }
                change(request as! NSFetchRequest<NSFetchRequestResult>)
            }
            """, model: notes)
        #expect(
            ported.text == """
                import CoreData
                let a = NSFetchRequest<NSFetchRequestResult>(casting: make(1, "x").request)
                let b = try await NSFetchRequest<any NSFetchRequestResult>(casting: self.source?.requests[0]!.copied { $0 })!
                func f() -> NSFetchRequest<Note> { return NSFetchRequest<Note>(casting: (try? g()))! }
                let c = NSFetchRequest<Note>(casting: .shared.request()) ?? NSFetchRequest<Note>(casting: Kit<Note>("title"))
                func g(_ request: NSPersistentStoreRequest) {
                    if let r = NSFetchRequest<NSFetchRequestResult>(casting: request), r.fetchLimit == 1 { r.fetchLimit = 2 }
                    change(NSFetchRequest<NSFetchRequestResult>(casting: request)!)
                }
                """)
        let end = "becomes a copy: what is set on it is no longer set on 'request', too"
        #expect(ported.hints == ["7:24: 'r' \(end)", "8:20: the argument \(end)"])
    }

    @Test("A request that is returned has the type that the function gives")
    func returnedRequests() throws {
        let ported = try Ported(
            """
            import CoreData
            class Note: NSManagedObject {
                class func all() -> NSFetchRequest<NSFetchRequestResult> {
                    let request = Note.fetchRequest()
                    if isSorted {
                        let other = Kit.Memo.fetchRequest()
                        return other
                    }
                    request.fetchLimit = 1
                    return request
                }
                var own: NSFetchRequest<Note> { let request = Note.fetchRequest(); return request }
                var base: NSFetchRequest<Base> { get { let request = Note.fetchRequest(); return request } }
                func none() -> NSFetchRequest<Base> { let request = Note.fetchRequest(); return request.copy() }
                func text() -> String { let request = Note.fetchRequest(); return request }
            }
            """)
        #expect(
            ported.text == """
                import CoreData
                class Note: NSManagedObject {
                    class func all() -> NSFetchRequest<NSFetchRequestResult> {
                        let request: NSFetchRequest<NSFetchRequestResult> = Note.fetchRequest()
                        if isSorted {
                            let other: NSFetchRequest<NSFetchRequestResult> = Kit.Memo.fetchRequest()
                            return other
                        }
                        request.fetchLimit = 1
                        return request
                    }
                    var own: NSFetchRequest<Note> { let request = Note.fetchRequest(); return request }
                    var base: NSFetchRequest<Base> { get { let request: NSFetchRequest<Base> = Note.fetchRequest(); \
                return request } }
                    func none() -> NSFetchRequest<Base> { let request = Note.fetchRequest(); return request.copy() }
                    func text() -> String { let request = Note.fetchRequest(); return request }
                }
                """)
    }
}
