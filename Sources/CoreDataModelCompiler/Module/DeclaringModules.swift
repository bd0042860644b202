/// The modules that declare the types of members, as far as the plugin has their sources.
struct DeclaringModules {
    /// The modules that declare a type of a name.
    private var modules: [String: Set<String>] = [:]
    private let own: String

    init(_ target: ScannedModule, dependencies: [ScannedModule]) {
        own = target.name
        for module in [target] + dependencies + [FrameworkTypes.scanned] {
            for type in module.files.flatMap(\.types) { modules[type.name, default: []].insert(module.name) }
        }
        for name in Self.foundation { modules[name, default: []].insert("Foundation") }
    }

    /// Whether an import of the module may bring a type of the member. An import may re-export the types of a module
    /// that is not among the imported ones, and a type of unknown origin may be of any module.
    func may(_ module: String, declareTypesOf member: ManagedMember, _ imported: Set<String>) -> Bool {
        NeededTypes.words(of: member).contains { word in
            if Self.standard.contains(word) { return false }
            guard let declaringModules = modules[word] else { return !imported.contains(word) }
            return declaringModules.contains(module)
                || declaringModules.isDisjoint(with: imported) && !declaringModules.contains(own)
        }
    }

    private static let standard: Set<String> = [
        "Any", "AnyObject", "Array", "Bool", "Dictionary", "Double", "Float", "Int", "Int16", "Int32", "Int64",
        "Int8", "Optional", "Set", "String", "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "Void", "any",
    ]

    private static let foundation = [
        "Data", "Date", "Decimal", "Foundation", "NSArray", "NSAttributedString", "NSCoding", "NSData", "NSDate",
        "NSDecimalNumber", "NSDictionary", "NSNumber", "NSObject", "NSOrderedSet", "NSSet", "NSString", "NSURL",
        "NSUUID",
        "TimeInterval", "URL", "UUID",
    ]
}
