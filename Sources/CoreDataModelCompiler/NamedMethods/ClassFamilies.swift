/// The classes of a target and its dependencies that descend from classes of the framework which call methods by name.
struct ClassFamilies {
    /// The kind of methods that the framework calls by name.
    enum Family {
        /// A managed object: validations, and properties by key.
        case managed
        /// A migration policy or manager: functions of expressions.
        case mapping
    }

    private static let roots: [String: Family] = [
        "NSManagedObject": .managed, "NSEntityMigrationPolicy": .mapping, "NSMigrationManager": .mapping,
    ]

    private let own: String
    /// The classes by their full names.
    private var classes: [String: (type: TypeDeclaration, module: String)] = [:]
    /// Full names by last name.
    private var fullNames: [String: [String]] = [:]

    init(_ target: ScannedModule, dependencies: [ScannedModule]) {
        own = target.name
        for module in [target] + dependencies {
            for type in module.files.flatMap(\.types) where type.kind == "class" && classes[type.fullName] == nil {
                classes[type.fullName] = (type, module.name)
                fullNames[type.name, default: []].append(type.fullName)
            }
        }
    }

    /// The family of a class; nil for a class of no family.
    func family(ofClass name: String) -> Family? { classes[name].flatMap { family(of: $0.type, depth: 0) } }

    /// The family of a member's class, with the module that declares the class; nil if generated code of the target
    /// cannot use the member.
    func family(of member: NamedMember) -> (family: Family, module: String)? {
        guard let (type, module) = classes[member.className], type.isPlain, member.isPlain, !member.isOfFile,
            module == own ? !type.access.isOfFile : type.access >= .isPublic,
            !(member.isOfDefaultIsolation && type.isNonisolated)
        else { return nil }
        return family(of: type, depth: 0).map { ($0, module) }
    }

    private func family(of type: TypeDeclaration, depth: Int) -> Family? {
        guard depth < 32, let parent = type.inherited.first else { return nil }
        let name = String(parent.prefix { $0 != "<" })
        let last = name.split(separator: ".").last.map(String.init) ?? name
        if let root = Self.roots[last] { return root }
        // A nested class can use the classes around it.
        let places = (0...type.path.count).reversed().map { (type.path.prefix($0) + [name]).joined(separator: ".") }
        let full = places.first { classes[$0] != nil } ?? fullNames[last]?.first
        return full.flatMap { classes[$0] }.flatMap {
            $0.type.fullName == type.fullName ? nil : family(of: $0.type, depth: depth + 1)
        }
    }
}
