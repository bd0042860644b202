/// The flags and the language mode for a run of the compiler that finds the names of members.
///
/// The plugin does not have all flags of a build: those of package traits, of the configuration and of the command line
/// are missing.
struct ProbeSetting: Equatable {
    let flags: Set<String>
    /// The language mode, for `swift(>=6)`. Names do not depend on it.
    var language = "5"

    /// The setting of most builds: the flags that the plugin has, and those of a debug build of a package.
    init(known flags: [String]) { self.flags = Set(flags + ["DEBUG", "SWIFT_PACKAGE"]) }

    private init(_ flags: Set<String>, _ language: String) {
        self.flags = flags
        self.language = language
    }

    /// The setting with the fewest other flags that lets code under these conditions be compiled; nil if no flag and no
    /// language mode can change the result.
    func alternative(for texts: [String]) -> ProbeSetting? {
        let conditions = texts.map(BuildCondition.init)
        let language = conditions.contains(where: \.asksForLanguage) ? "6" : language
        let names = Set(conditions.flatMap(\.flags)).sorted()
        guard names.count <= Self.mostFlags else { return nil }
        let changes = (1..<(1 << names.count)).sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }
        let candidates = changes.map { bits in
            flags.symmetricDifference(names.indices.filter { bits & (1 << $0) != 0 }.map { names[$0] })
        }
        let now = Self.hold(conditions, flags)
        let better =
            candidates.first { Self.hold(conditions, $0) == true }
            ?? (now == false ? candidates.first { Self.hold(conditions, $0) == nil } : nil)
        if let better { return ProbeSetting(better, language) }
        return now != false && language != self.language ? ProbeSetting(flags, language) : nil
    }

    /// The maximum number of flags. With more flags there are too many combinations.
    private static let mostFlags = 8

    private static func hold(_ conditions: [BuildCondition], _ flags: Set<String>) -> Bool? {
        conditions.map { condition in
            condition.holds { question in
                switch question {
                case .flag(let name): flags.contains(name)
                case .call("os", let system) where otherSystems.contains(system): false
                case .call("targetEnvironment", _): false
                case .call: nil
                }
            }
        }.conjunction
    }

    /// Systems on which the plugin has no effect.
    private static let otherSystems: Set<String> = [
        "macOS", "OSX", "iOS", "tvOS", "watchOS", "visionOS", "Windows",
    ]
}
