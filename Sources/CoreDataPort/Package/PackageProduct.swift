/// A product of another package that a ported target needs on Linux.
enum PackageProduct: String, CaseIterable {
    case framework = "CoreData"
    case swiftData = "SwiftData"
    case logging = "OSLogging"
    case loggingCore = "OSLoggingCore"
    case openCombine = "OpenCombine"
    case openCombineFoundation = "OpenCombineFoundation"
    case openCombineDispatch = "OpenCombineDispatch"

    var package: String {
        switch self {
        case .framework, .swiftData, .logging, .loggingCore: "OpenCoreData"
        case .openCombine, .openCombineFoundation, .openCombineDispatch: "OpenCombine"
        }
    }

    /// The text for the product among the dependencies of a target.
    var dependency: String {
        ".product(name: \"\(rawValue)\", package: \"\(package)\", condition: .when(platforms: [.linux]))"
    }
}
