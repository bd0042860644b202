import CoreData
import XCTest

// An addition: the counterpart of `Bundle(for:)` on a Mac, for packages. No Mac has it.

#if os(Linux)
final class ResourcesOfClassTests: XCTestCase {
    func testBundleOfATarget() {
        XCTAssertEqual(Bundle.withResources(of: Trip.self).bundleURL, Bundle.module.bundleURL)
        XCTAssertEqual(Bundle.withResources(of: ResourcesOfClassTests.self).bundleURL, Bundle.module.bundleURL)
    }

    func testBundleOfATargetWithoutResources() {
        XCTAssertEqual(
            Bundle.withResources(of: NSManagedObject.self).bundleURL, Bundle(for: NSManagedObject.self).bundleURL)
    }
}
#endif
