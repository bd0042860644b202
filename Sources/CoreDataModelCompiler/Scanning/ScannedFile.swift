/// The declarations of a Swift source file, as far as accessors need them.
package struct ScannedFile {
    /// The path as given.
    package let path: String
    var imports: [ImportDeclaration] = []
    var types: [TypeDeclaration] = []
    var members: [ManagedMember] = []
    /// The properties and methods of classes that Objective-C would find by their names.
    var namedMembers: [NamedMember] = []
    var diagnostics: [Diagnostic] = []
    /// Every name and keyword of the file, at any place.
    var words: Set<String> = []

    init(path: String) { self.path = path }

    /// The name of the file without folder.
    var fileName: String { String(path.split(separator: "/").last ?? "") }
}

/// An import in the source.
struct ImportDeclaration {
    /// The declaration with its attributes, such as `@preconcurrency public import Kit`.
    let text: String
    let attributes: [String]
    /// The access level of the import; nil if it has none.
    let access: Access?
    /// The part after `import`.
    let target: String
    /// The module, without the part after a point.
    let module: String
    /// Whether the file's module re-exports it.
    let isExported: Bool
    let conditions: [String]
}

/// A class, structure, enumeration, actor, protocol or alias.
struct TypeDeclaration {
    /// The keyword.
    let kind: String
    let name: String
    /// The types around it, in their written form.
    let path: [String]
    /// The names of generic parameters, such as `<T>`; empty without any.
    let generics: String
    /// The type behind an alias; empty otherwise.
    let alias: String
    /// The inherited types. The first one may be the superclass.
    let inherited: [String]
    let access: Access
    let conditions: [String]
    let line: Int
    /// Whether code of any thread can name it without parameters and without a warning.
    let isPlain: Bool
    /// Whether the type is declared nonisolated, as managed classes are if the module's default is the main actor.
    let isNonisolated: Bool

    /// The name with the types around it.
    var fullName: String { (path + [name]).joined(separator: ".") }
}

/// The access level of a declaration.
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

    /// Whether only the file of the declaration may use it.
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
        /// The external name; `_` for none.
        let label: String
        let type: String
    }

    let kind: Kind
    /// The name with the backticks of the source.
    let name: String
    /// The class, in the form for an extension of it.
    let className: String
    let access: Access
    let conditions: [String]
    let file: String
    let line: Int
    let column: Int

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }
}
