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
}
