/// One line of the reference: a declaration, or several that are used together.
public struct APIEntry: Sendable {
    /// The class or chapter it stands under.
    public let group: String
    /// The text between the back quotes.
    public let text: String
    /// The type that members without a name of their own belong to.
    public let owner: String?
    /// How many of the surveyed projects use it, and how often.
    public let projects: Int
    public let uses: Int
}

/// The written reference of Apple's interface (`API.md`).
///
/// `## Type : Superclass` begins a class, `*enum Name …*` the members of another type below it, and each list item is
/// an entry: ``- `declaration` — since [used projects/times]``. Everything else is prose.
public enum APIReference {
    /// All entries, in order; chapters whose number is in `excluded` are left out.
    public static func entries(in text: String, excluding excluded: Set<Int> = []) -> [APIEntry] {
        var entries: [APIEntry] = []
        var group = ""
        var owner: String?
        var classOfGroup: String?
        var isExcluded = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                isExcluded =
                    line.dropFirst(2).split(separator: " ").first.flatMap { Int($0) }.map(excluded.contains) ?? false
            } else if line.hasPrefix("## ") {
                (group, classOfGroup) = heading(line.dropFirst(3))
                owner = classOfGroup
                if !isExcluded, let owner { entries.append(type(owner, in: group)) }
            } else if line.hasPrefix("*"), line.dropFirst().contains("*") {
                let words = line.dropFirst().split(separator: " ")
                owner = classOfGroup
                guard ["enum", "struct", "protocol"].contains(words.first ?? ""), words.count > 1 else { continue }
                owner = words[1].upTo(["*", ":", "<"])
                if !isExcluded { entries.append(type(owner!, in: group)) }
            } else if line.hasPrefix("- `"), !isExcluded {
                let text = line.dropFirst(3).upTo(["`"])
                let (projects, uses) = use(line.dropFirst(3 + text.count))
                entries.append(APIEntry(group: group, text: text, owner: owner, projects: projects, uses: uses))
            }
        }
        return entries
    }

    private static func type(_ name: String, in group: String) -> APIEntry {
        APIEntry(group: group, text: "class \(name)", owner: nil, projects: 0, uses: 0)
    }

    /// A class's heading has a colon behind the name; a chapter of loose symbols has none and no owner.
    private static func heading(_ text: Substring) -> (group: String, owner: String?) {
        let title = text.split(separator: " — ").first.map(String.init) ?? String(text)
        let name = title.upTo(["<", " ", ":"])
        guard title.hasPrefix(name + " :") || title.hasPrefix(name + "<") else { return (title.trimmed, nil) }
        return (name, name)
    }

    /// `[used 3/17]`
    private static func use(_ text: Substring) -> (Int, Int) {
        guard let start = text.range(of: "[used ") else { return (0, 0) }
        let numbers = text[start.upperBound...].upTo(["]"]).split(separator: "/").compactMap { Int($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 0)
    }
}
