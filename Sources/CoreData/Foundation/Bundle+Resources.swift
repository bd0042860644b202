import Foundation

extension Bundle {
    /// Returns the bundle with the resources of the package target that declares a class.
    ///
    /// OpenCoreData only: on a Mac `Bundle(for:)` does this. On Linux `Bundle(for:)` is the program's folder for every
    /// class. `coredata port` writes this function in place of it.
    ///
    /// - Parameter aClass: A class of the target.
    /// - Returns: The bundle; that of `Bundle(for:)` if the target has no resources.
    public static func withResources(of aClass: AnyClass) -> Bundle {
        let module = _typeName(aClass).prefix { $0 != "." }
        // Resources are in "Package_Target.resources". A module's name has `_` for characters that Swift does not
        // allow.
        let folder = PackageResources.folders.first { folder in
            let name = folder.deletingPathExtension().lastPathComponent
            return name.map { $0.isLetter || $0.isNumber ? $0 : "_" }.suffix(module.count + 1) == ["_"] + module
        }
        return folder.flatMap(Bundle.init(url:)) ?? Bundle(for: aClass)
    }
}
