import CoreData
import Testing
import TestSupport
import XCTest

@testable import CoreDataTestSupport

// The commonest save chain — a private child's performAndWait { save } into the main context and on to the root, from
// the main thread — in the three surroundings that drive the main queue differently.

@Suite("The save chain", .leavesNothingBehind)
struct SaveChainTests {
    @Test("A chain of contexts saves in a command-line program whose main queue never runs")
    func commandLine() throws {
        let result = try ChildProgram("save-chain-child").wait()
        #expect(result.output == "saved 100\n")
        #expect(result.status == 0)
    }

    @Test("A chain of contexts saves under Swift Testing, which drains the main queue off the main thread")
    @MainActor
    func swiftTesting() throws {
        #expect(try saveUpTheChain() == 100)
    }
}

final class SaveChainXCTests: XCTestCase {
    func testTheChainFromTheMainThreadUnderXCTest() throws {
        XCTAssertTrue(Thread.isMainThread)
        XCTAssertEqual(try saveUpTheChain(), 100)
    }

    func testPerformOnTheMainContextRunsWhileXCTestSpinsTheRunLoop() throws {
        let library = try Library()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = library.coordinator
        let saved = expectation(description: "saved")
        main.perform {
            main.make("Book")
            try? main.save()
            saved.fulfill()
        }
        wait(for: [saved], timeout: 60)
        XCTAssertEqual(try main.all("Book").count, 1)
    }
}
