/// The spelling of the entities and properties of a model in a file.
///
/// Names follow the rule of the format. Names that the rule would make equal (`item` and `Item` in upper case) keep the
/// spelling of the model instead.
struct RecordSpelling {
    private let format: any RecordFormat.Type
    private var entities: [String: String] = [:]
    /// The spellings of properties by entity, only for entities with names that the rule would make equal.
    private var properties: [String: [String: String]] = [:]

    init(_ format: any RecordFormat.Type, _ model: ModelLayout?) {
        self.format = format
        let layouts = model?.entities ?? []
        entities = Self.spellings(layouts.map(\.name)) { format.spelling(ofEntity: $0) }
        for layout in layouts {
            let names =
                layout.slots.filter(\.isPersistent).compactMap { slot in
                    if case .attribute = slot.role { slot.name } else { nil }
                }
                + layout.entity.relationshipsByName.filter { !$0.value.isTransient }.map(\.key)
            let spellings = Self.spellings(names) { format.spelling(ofProperty: $0) }
            if spellings.contains(where: { $0.value != format.spelling(ofProperty: $0.key) }) {
                properties[layout.name] = spellings
            }
        }
    }

    private static func spellings(_ names: [String], rule: (String) -> String) -> [String: String] {
        let users = Dictionary(names.map { (rule($0), 1) }, uniquingKeysWith: +)
        return Dictionary(
            names.map { ($0, users[rule($0)] == 1 ? rule($0) : $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The spelling of an entity in the file.
    func entity(_ name: String) -> String { entities[name] ?? format.spelling(ofEntity: name) }

    /// The spelling of a property of an entity's objects in the file.
    func property(_ name: String, of entity: String) -> String {
        properties[entity]?[name] ?? format.spelling(ofProperty: name)
    }
}
