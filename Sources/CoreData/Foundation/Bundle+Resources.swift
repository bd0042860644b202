import Foundation

extension Bundle {
    /// The bundle with the resources of the package target that declares a class: what `Bundle(for:)` gives on a Mac,
    /// and on Linux gives not, where it is the program's folder for every class.
    ///
    /// What `Bundle(for:)` gives where the target has no resources. `coredata port` writes this in place of
    /// `Bundle(for:)`.
    public static func withResources(of aClass: AnyClass) -> Bundle {
        let module = String(reflecting: aClass).prefix { $0 != "." }
        // Resources are in "Package_Target.resources"; a module's name has `_` for what a name in Swift cannot have.
        let folder = PackageResources.folders.first { folder in
            let name = folder.deletingPathExtension().lastPathComponent
            return name.map { $0.isLetter || $0.isNumber ? $0 : "_" }.suffix(module.count + 1) == ["_"] + module
        }
        return folder.flatMap(Bundle.init(url:)) ?? Bundle(for: aClass)
    }
}
