/// What a Swift source file declares, as far as accessors need to know.
package struct ScannedFile {
    /// The path as given.
    package let path: String
    var imports: [ImportDeclaration] = []
    var types: [TypeDeclaration] = []
    var members: [ManagedMember] = []
    /// The properties and methods of classes that Objective-C would find by their names.
    var namedMembers: [NamedMember] = []
    var diagnostics: [Diagnostic] = []
    /// Every name and keyword in it, wherever it stands.
    var words: Set<String> = []

    init(path: String) { self.path = path }

    /// The name of the file without folder.
    var fileName: String { String(path.split(separator: "/").last ?? "") }
}

/// An import as it stands in the source.
struct ImportDeclaration {
    /// The declaration with its attributes, such as `@preconcurrency public import Kit`.
    let text: String
    let attributes: [String]
    /// The level that it states.
    let access: Access?
    /// What stands behind `import`.
    let target: String
    /// The module, without what follows a point.
    let module: String
    /// Whether the file's module hands it on.
    let isExported: Bool
    let conditions: [String]
}

/// A class, structure, enumeration, actor, protocol or alias.
struct TypeDeclaration {
    /// The keyword.
    let kind: String
    let name: String
    /// The types around it, as written.
    let path: [String]
    /// The names of generic parameters, such as `<T>`; empty without any.
    let generics: String
    /// What an alias stands for; empty otherwise.
    let alias: String
    /// The first of the inherited types, such as the superclass.
    let inherited: [String]
    let access: Access
    let conditions: [String]
    let line: Int
    /// Whether code of any thread can name it without parameters and without a warning.
    let isPlain: Bool
    /// Whether it says that it belongs to no actor, as managed classes do where the module's default is the main actor.
    let isNonisolated: Bool

    /// The name with the types around it.
    var fullName: String { (path + [name]).joined(separator: ".") }
}

/// Who may use a declaration.
enum Access: String, CaseIterable, Comparable {
    case isPrivate = "private"
    case isFilePrivate = "fileprivate"
    case isInternal = "internal"
    case isPackage = "package"
    case isPublic = "public"
    case isOpen = "open"

    static func < (left: Access, right: Access) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }

    /// Whether only the file it is declared in may.
    var isOfFile: Bool { self == .isPrivate || self == .isFilePrivate }
}

/// An `@NSManaged` property or method.
struct ManagedMember {
    enum Kind {
        case property(type: String, setter: Access)
        case method(parameters: [Parameter], result: String)
    }

    /// A parameter of a method.
    struct Parameter: Equatable {
        /// The name outside; `_` for none.
        let label: String
        let type: String
    }

    let kind: Kind
    /// With backticks where the source has them.
    let name: String
    /// The class as the extension of it would be written.
    let className: String
    let access: Access
    let conditions: [String]
    let file: String
    let line: Int
    let column: Int

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }
}
