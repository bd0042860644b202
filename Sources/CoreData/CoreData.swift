/// Core Data for Swift, wherever Swift runs.
///
/// `import CoreData` brings Foundation along, as it does on Apple's platforms.
@_exported import Foundation
