import Membership
import XCTest

final class MembershipTests: XCTestCase {
    @MainActor private func withSociety(_ body: (Society) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(Society(url: folder.appendingPathComponent("Members.sqlite")))
    }

    @MainActor func testValidation() async throws {
        try withSociety { society in
            try society.add("Ann", email: "Ann@Example.org")
            XCTAssertThrowsError(try society.add("Bob", email: "nowhere")) { error in
                XCTAssertEqual((error as? CocoaError)?.code, .validationStringPatternMatching)
            }
            try society.add("Ada")
            XCTAssertEqual(try society.fellows().map(\.name), ["Ada", "Ann"])
            XCTAssertEqual(try society.fellows().map(\.email), [nil, "ann@example.org"])
        }
    }

    @MainActor func testRequests() async throws {
        try withSociety { society in
            try society.add("Ann", email: "ann@example.org")
            for name in ["Cy", "Bob", "Ada"] { try society.add(name, email: "\(name)@example.com") }
            XCTAssertEqual(try society.fellows(at: "example.com", limit: 2).map(\.name), ["Ada", "Bob"])
            try society.dissolve()
            XCTAssertEqual(try society.fellows().count, 0)
        }
    }
}
