/// A product of another package that a target comes to need on Linux.
enum PackageProduct: String, CaseIterable {
    case framework = "CoreData"
    case logging = "OSLogging"
    case openCombine = "OpenCombine"
    case openCombineFoundation = "OpenCombineFoundation"
    case openCombineDispatch = "OpenCombineDispatch"

    var package: String {
        switch self {
        case .framework, .logging: "OpenCoreData"
        case .openCombine, .openCombineFoundation, .openCombineDispatch: "OpenCombine"
        }
    }

    /// As a manifest names it among the dependencies of a target.
    var dependency: String {
        ".product(name: \"\(rawValue)\", package: \"\(package)\", condition: .when(platforms: [.linux]))"
    }
}
