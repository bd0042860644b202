import CoreDataModelCompiler
import Testing

@testable import CoreDataPort

@Suite("Porting functions that expressions of mapping models call")
struct FunctionTests {
    @Test("Methods of a policy that the plugin does not list are called by the override for names, written for them")
    func policies() throws {
        let ported = try Ported(
            """
            import CoreData

            @objc(BookPolicy)
            public final class BookPolicy: NSEntityMigrationPolicy {
              override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

              @objc private func title(forBook title: String, manager: NSMigrationManager) -> String { title }
              @objc(year:)
              func year(of date: Date?) -> NSNumber? { nil }
              @objc fileprivate func note(_ value: Any, _ other: Any?, mark: AnyObject) { if true {} }
              @objc(everything) func all() -> [NSManagedObject] { [] }
              @objc private func read(_ path: String) throws -> String { path }
              private func plain(_ value: Int) {}
              @objc private static func shared() {}
            }

            extension BookPolicy {
              @objc private func joined(names: [String] = []) -> () {}
            }

            """)
        #expect(
            ported.text == """
                import CoreData

                public final class BookPolicy: NSEntityMigrationPolicy {
                  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

                  private func title(forBook title: String, manager: NSMigrationManager) -> String { title }
                  func year(of date: Date?) -> NSNumber? { nil }
                  fileprivate func note(_ value: Any, _ other: Any?, mark: AnyObject) { if true {} }
                  func all() -> [NSManagedObject] { [] }
                  private func read(_ path: String) throws -> String { path }
                  private func plain(_ value: Int) {}
                  private static func shared() {}

                  public override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
                    switch (name, arguments.count) {
                    case ("titleForBook:manager:", 2):
                      guard let value0 = arguments[0] as? String, let value1 = arguments[1] as? NSMigrationManager else { break }
                      return title(forBook: value0, manager: value1)
                    case ("year:", 1):
                      return year(of: arguments[0] as? Date)
                    case ("note::mark:", 3):
                      guard let value0 = arguments[0], let value2 = arguments[2].map({ $0 as AnyObject }) else { break }
                      note(value0, arguments[1], mark: value2)
                      return nil
                    case ("everything", 0):
                      return all()
                    case ("joinedWithNames:", 1):
                      guard let value0 = arguments[0] as? [String] else { break }
                      joined(names: value0)
                      return nil
                    default: break
                    }
                    return try super.performFunction(name, arguments: arguments)
                  }
                }

                extension BookPolicy {
                  private func joined(names: [String] = []) -> () {}
                }

                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("So are those of a manager's subclass; @objcMembers shows no private ones")
    func managers() throws {
        let ported = try Ported(
            """
            import CoreData
            @objcMembers class Manager: NSMigrationManager {
                func request(_ name: String) -> Any { name }
                @objc(inquire:) func ask(_ name: String) -> Any { name }
                private func hidden() {}
            }
            """)
        #expect(
            ported.text == """
                import CoreData
                class Manager: NSMigrationManager {
                    func request(_ name: String) -> Any { name }
                    func ask(_ name: String) -> Any { name }
                    private func hidden() {}

                    override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
                        switch (name, arguments.count) {
                        case ("inquire:", 1):
                            guard let value0 = arguments[0] as? String else { break }
                            return ask(value0)
                        default: break
                        }
                        return try super.performFunction(name, arguments: arguments)
                    }
                }
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("Nothing is written for methods that the plugin lists: of classes, and of extensions in any file")
    func listed() throws {
        let ported = try Ported([
            "A.swift": """
            import CoreData
            class Policy: NSEntityMigrationPolicy {
                @objc func title(forBook title: String) -> String { title }
                @objc(yearWithDate:) func year(date: Date) -> Int { 1 }
                override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? { nil }
            }
            """,
            "B.swift": "import CoreData\nextension Policy { @objc func all() -> [Int] { [] } }",
        ])
        #expect(
            ported.text("A.swift") == """
                import CoreData
                class Policy: NSEntityMigrationPolicy {
                    func title(forBook title: String) -> String { title }
                    func year(date: Date) -> Int { 1 }
                    override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? { nil }
                }
                """)
        #expect(ported.text("B.swift") == "import CoreData\nextension Policy { func all() -> [Int] { [] } }")
        #expect(ported.byHand.isEmpty)
    }

    @Test("Notes name functions that need work: the framework's own classes, blocks, generics, existing overrides")
    func told() throws {
        let ported = try Ported(
            """
            import CoreData
            extension NSMigrationManager { @objc func request(_ name: String) -> Any { name } }
            class A: NSEntityMigrationPolicy {
                @objc func each(_ body: (Int) -> Void) {}
                @objc func any<T>(_ value: T) {}
            }
            class B: NSEntityMigrationPolicy {
                @objc private func year(_ date: Date) -> Int { 1 }
                override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? { nil }
            }
            class C: NSObject { @objc private func year(_ date: Date) -> Int { 1 } }
            """)
        #expect(ported.text?.contains("super.performFunction") == false)
        #expect(ported.byHand.map { $0.prefix { $0 != " " } } == ["2:43:", "4:16:", "5:16:", "8:24:"])
        #expect(ported.byHand.first?.contains("in a subclass of 'NSMigrationManager'") == true)
    }

    @Test(
        "A method's name of Objective-C follows from its labels",
        arguments: [
            ("value", ["forKey"], "valueForKey:"), ("title", ["book"], "titleWithBook:"), ("f", ["_", "_"], "f::"),
            ("all", [], "all"), ("move", ["toPlace", "in"], "moveToPlace:in:"), ("nameOf", ["book"], "nameOfBook:"),
            ("title", ["forest"], "titleWithForest:"),
        ])
    func names(name: String, labels: [String], selector: String) {
        #expect(SelectorName.of(name, labels: labels) == selector)
    }
}
