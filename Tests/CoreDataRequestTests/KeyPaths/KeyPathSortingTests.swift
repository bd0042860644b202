import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Calls the initialiser for any type, which is deprecated.
private protocol AnyConversion {
    func descriptor<Value>(_ descriptor: SortDescriptor<Value>) -> NSSortDescriptor
}

private struct DeprecatedConversion: AnyConversion {
    @available(*, deprecated)
    func descriptor<Value>(_ descriptor: SortDescriptor<Value>) -> NSSortDescriptor { NSSortDescriptor(descriptor) }
}

private struct Place {
    var number = 0
    var next: Int { number + 1 }
}

@Suite("Sorting and fetching by key path", .leavesNothingBehind, .onEveryKindOfStore)
struct KeyPathSortingTests {
    @Test("Foundation's descriptors by key path sort in the store, through relationships too")
    func foundation() throws {
        let store = try KeyPathStore()
        #expect(
            try store.names { $0.sortDescriptors = [NSSortDescriptor(keyPath: \KeyPathPerson.age, ascending: false)] }
                == ["Cleo", "Ann 10", "ben 9"])
        let byTeam = NSSortDescriptor(keyPath: \KeyPathPerson.team?.name, ascending: true)
        #expect(try store.names { $0.sortDescriptors = [byTeam] } == ["Cleo", "ben 9", "Ann 10"])
        #expect(byTeam == NSSortDescriptor(key: "team.name", ascending: true))
        #expect(NSSortDescriptor(keyPath: \KeyPathPerson.age, ascending: false).key == "age")
    }

    @Test("Unsaved objects are sorted in among the stored ones by the same order")
    func unsaved() throws {
        let store = try KeyPathStore()
        store.context.performAndWait {
            let person = KeyPathPerson(context: store.context)
            person.name = "Dan"
            person.age = 25
        }
        let byAge = NSSortDescriptor(keyPath: \KeyPathPerson.age, ascending: true)
        #expect(try store.names { $0.sortDescriptors = [byAge] } == ["ben 9", "Dan", "Ann 10", "Cleo"])
    }

    @Test("A descriptor with a comparator is refused by a store that sorts by SQL", .onStores(.sqlite))
    func comparator() throws {
        let store = try KeyPathStore()
        let descriptor = NSSortDescriptor(keyPath: \KeyPathPerson.age, ascending: true) { _, _ in .orderedSame }
        #expect(throws: NSError.self) { try store.names { $0.sortDescriptors = [descriptor] } }
    }

    @Test(
        "Swift's sort descriptors keep order and comparators, and sort strings as people expect unless said otherwise")
    func swift() throws {
        let store = try KeyPathStore()
        func names(_ descriptors: [SortDescriptor<KeyPathPerson>]) throws -> [String] {
            let stored = try store.names { $0.sortDescriptors = descriptors.map(NSSortDescriptor.init) }
            let inMemory = try store.context.performAndWait {
                try store.context.fetch(NSFetchRequest<KeyPathPerson>(entityName: "Person")).sorted(using: descriptors)
                    .map(\.name)
            }
            #expect(stored == inMemory)
            return stored
        }
        #expect(try names([SortDescriptor(\.age, order: .reverse)]) == ["Cleo", "Ann 10", "ben 9"])
        #expect(try names([SortDescriptor(\.name)]) == ["Ann 10", "ben 9", "Cleo"])
        #expect(try names([SortDescriptor(\.name, comparator: .lexical)]) == ["Ann 10", "Cleo", "ben 9"])
        #expect(
            try names([SortDescriptor(\.name, comparator: .localized, order: .reverse)]) == ["Cleo", "ben 9", "Ann 10"])
        #expect(try names([SortDescriptor(\.nickname, comparator: .localizedStandard)]) == ["ben 9", "Cleo", "Ann 10"])
        #expect(
            try names([SortDescriptor(\.isActive), SortDescriptor(\.age, order: .reverse)])
                == ["ben 9", "Cleo", "Ann 10"])
        #expect(
            NSSortDescriptor(SortDescriptor(\KeyPathPerson.name, order: .reverse))
                == NSSortDescriptor(key: "name", ascending: false, selector: .localizedStandardCompare))
    }

    @Test(
        "Columns and groups of dictionaries, and expressions over them, are named by key path",
        .onStores(.sqlite, .inMemory, .atomic))
    func columns() throws {
        let store = try KeyPathStore()
        try store.context.performAndWait {
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            let oldest = NSExpressionDescription()
            oldest.name = "oldest"
            oldest.expression = NSExpression(
                forFunction: "max:", arguments: [NSExpression(forKeyPath: \KeyPathPerson.age)])
            oldest.expressionResultType = .integer32AttributeType
            request.propertiesToFetch = [\KeyPathPerson.isActive, oldest]
            request.propertiesToGroupBy = [\KeyPathPerson.isActive]
            request.sortDescriptors = [NSSortDescriptor(keyPath: \KeyPathPerson.isActive, ascending: true)]
            let rows = try store.context.fetch(request)
            #expect(rows.map { $0["oldest"] as? Int } == [20, 40])
            #expect(rows.map { $0["isActive"] as? Bool } == [false, true])
        }
        #expect(NSExpression(forKeyPath: \KeyPathPerson.team?.name) == NSExpression(forKeyPath: "team.name"))
    }

    @Test(
        "A fetch sorted by a key path that is no property stops the process and names the key path", .onStores(.sqlite))
    func stops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try KeyPathStore()
            _ = try store.names {
                $0.sortDescriptors = [NSSortDescriptor(keyPath: \KeyPathPerson.title, ascending: true)]
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("NSSortDescriptor(keyPath:ascending:)") && text.contains("KeyPathPerson"))
    }

    @Test("A sort descriptor of values that are no objects has a key for stored properties alone", .onStores(.sqlite))
    func anyValues() async {
        let conversion: any AnyConversion = DeprecatedConversion()
        #expect(conversion.descriptor(SortDescriptor(\Place.number)).key == "number")
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let conversion: any AnyConversion = DeprecatedConversion()
            _ = conversion.descriptor(SortDescriptor(\Place.next))
        }
        #expect(result.said("NSSortDescriptor(SortDescriptor)") && result.said("give the key as a string"))
    }
}
