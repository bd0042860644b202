import Testing

@testable import CoreDataPort

@Suite("Porting code")
struct CodeTests {
    @Test("The comparisons of sort descriptors become names, other selectors are reported")
    func selectors() throws {
        let ported = try Ported(
            """
            let a = NSSortDescriptor(key: "x", ascending: true, selector: #selector(NSString.caseInsensitiveCompare(_:)))
            let b = NSSortDescriptor(key: "x", ascending: true, selector: #selector(NSString.localizedStandardCompare))
            let c = #selector(NSString.localizedCaseInsensitiveCompare(_:))
            let d = NSSortDescriptor(key: "x", ascending: true, selector: Selector(("localizedCompare:")))
            let e = NSSortDescriptor(key: "x", ascending: true, selector: NSSelectorFromString("compare:"))
            center.addObserver(self, selector: #selector(saved(_:)), name: .NSManagedObjectContextDidSave, object: nil)
            control.perform(#selector(getter: Note.title))
            func f(_ action: Selector) {}
            """)
        #expect(
            ported.text == """
                let a = NSSortDescriptor(key: "x", ascending: true, selector: .caseInsensitiveCompare)
                let b = NSSortDescriptor(key: "x", ascending: true, selector: .localizedStandardCompare)
                let c = SortSelector.localizedCaseInsensitiveCompare
                let d = NSSortDescriptor(key: "x", ascending: true, selector: .localizedCompare)
                let e = NSSortDescriptor(key: "x", ascending: true, selector: .compare)
                center.addObserver(self, selector: #selector(saved(_:)), name: .NSManagedObjectContextDidSave, object: nil)
                control.perform(#selector(getter: Note.title))
                func f(_ action: Selector) {}
                """)
        #expect(ported.byHand.map { $0.prefix(7) } == ["6:36: t", "7:17: t", "8:18: t"])
        #expect(ported.byHand[0].contains("addObserver(forName:object:queue:using:)"))
    }

    @Test(
        "Casts of fetch requests: those that are needless go, those that Swift can do otherwise change, others are told"
    )
    func casts() throws {
        let ported = try Ported(
            """
            let a = Note.fetchRequest() as! NSFetchRequest<Note>
            let b = Note.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>
            let c = NSBatchDeleteRequest(fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>)
            let d = try context.fetch(self.request as! NSFetchRequest<any NSFetchRequestResult>) as? [Note]
            let e = try context.count(for: request as! NSFetchRequest<NSFetchRequestResult>)
            let f = request as! NSFetchRequest<Note>
            guard let g = request as? NSFetchRequest<NSFetchRequestResult> else { return }
            let h = NSFetchRequest<NSFetchRequestResult>(entityName: name(1)) as! NSFetchRequest<Kit.Note>
            """)
        #expect(
            ported.text == """
                let a = Note.fetchRequest() as! NSFetchRequest<Note>
                let b = Note.fetchRequest() as NSFetchRequest<NSFetchRequestResult>
                let c = NSBatchDeleteRequest(fetchRequest: request)
                let d = try context.fetch(self.request) as? [Note]
                let e = try context.count(for: request)
                let f = request as! NSFetchRequest<Note>
                guard let g = request as? NSFetchRequest<NSFetchRequestResult> else { return }
                let h = NSFetchRequest<Kit.Note>(entityName: name(1))
                """)
        #expect(ported.byHand.map { $0.prefix(5) } == ["6:17:", "7:23:"])
    }

    @Test("The name of a key path comes from the framework")
    func keyPathNames() throws {
        let ported = try Ported("let name = path._kvcKeyPathString! + (\\Note.title)._kvcKeyPathString!")
        #expect(ported.text == "let name = path.managedKeyPath! + (\\Note.title).managedKeyPath!")
    }

    @Test("Arguments of a format need not be CVarArg")
    func arguments() throws {
        let ported = try Ported(
            """
            let a = NSPredicate(format: "id == %@ AND date < %@", id as CVarArg, f(date) as! CVarArg)
            let b = String(format: "%@", id as CVarArg)
            """)
        #expect(
            ported.text == """
                let a = NSPredicate(format: "id == %@ AND date < %@", id, f(date))
                let b = String(format: "%@", id as CVarArg)
                """)
    }

    @Test("A set of Foundation's from a literal is made by its initialiser")
    func sets() throws {
        let ported = try Ported(
            """
            let a: NSSet = [1, f([2]), "]"]
            var b: NSMutableSet? = []
            note.tags = [c, d] as NSSet
            let e = x[0] as NSSet
            let f: NSSet = [1, 2].g()
            let h: NSOrderedSet = [1]
            """)
        #expect(
            ported.text == """
                let a: NSSet = NSSet(array: [1, f([2]), "]"])
                var b: NSMutableSet? = NSMutableSet()
                note.tags = NSSet(array: [c, d])
                let e = x[0] as NSSet
                let f: NSSet = [1, 2].g()
                let h: NSOrderedSet = [1]
                """)
    }

    @Test("Modules that Linux has not, observing, bundles by class: reported with their places")
    func reported() throws {
        let ported = try Ported(
            """
            import CoreData
            import Combine
            import os.log
            import class UIKit.UIImage
            @testable import Kit
            let token = note.observe(\\.title) { _, _ in }
            note.addObserver(self, forKeyPath: "x", options: [], context: nil)
            let bundle = Bundle(for: Note.self)
            let context = NSManagedObjectContext()
            let expression: NSExpression
            """)
        #expect(ported.porting.changed.isEmpty)
        #expect(
            ported.byHand.map { $0.prefix { $0 != " " } } == [
                "2:8:", "3:8:", "4:14:", "6:18:", "7:6:", "8:14:",
            ])
        #expect(ported.hints.contains { $0.hasPrefix("9:15: a context made without") })
        #expect(ported.hints.contains { $0.contains("typealias NSExpression = CoreData.NSExpression") })
    }

    @Test(
        "Unfinished and odd sources are left alone",
        arguments: [
            "@objc", "#keyPath(", "\"\\(#selector(", "as! NSFetchRequest<", "import", "/* @objc", "let a: NSSet = [",
        ])
    func unfinished(source: String) throws {
        let ported = try Ported(source)
        #expect(source == "@objc" ? ported.text == "" : ported.porting.changed.isEmpty)
    }
}
