/// A value in the reference's form. Truth is a number; objects are labels.
enum ModelValue: Hashable, Sendable {
    /// Kinds of values that have nothing but an order.
    enum Token: Hashable, Sendable { case uuid, data, uri }

    case none
    case text(String)
    case number(Double)
    case date(Double)
    /// One of the test's values of a kind, by its place in their order.
    case token(Token, Int)
    case object(Int)
    /// The entity of an object.
    case entity(String)
    case list([ModelValue])

    /// What it is a list of; itself alone if it is none.
    var elements: [ModelValue] {
        switch self {
        case .none: []
        case .list(let elements): elements
        default: [self]
        }
    }
}

/// An object in the reference's form: values by key. To-one relationships are objects, to-many ones lists.
struct ModelObject: Equatable {
    var entity: String
    var values: [String: ModelValue] = [:]

    subscript(key: String) -> ModelValue { values[key] ?? .none }
}

/// A change of a graph, played by the reference and by the framework.
enum ModelMove {
    case insert(Int, entity: String, values: [String: ModelValue])
    case set(Int, key: String, ModelValue)
    case delete(Int)
}

/// A graph of Swift values over the entities of `QuestionModel`.
struct ModelWorld: Equatable {
    private(set) var objects: [Int: ModelObject] = [:]
    /// The objects that moves have inserted, changed or deleted, also where they have their former values again.
    private(set) var touched: Set<Int> = []

    /// The graph without the marks of changed objects.
    var untouched: ModelWorld {
        var world = self
        world.touched = []
        return world
    }

    struct Relationship {
        var entity: String
        var key: String
        var destination: String
        var inverse: String
        var isToMany: Bool
        var isOrdered = false
    }

    static let relationships = [
        Relationship(entity: "Book", key: "author", destination: "Author", inverse: "books", isToMany: false),
        Relationship(entity: "Author", key: "books", destination: "Book", inverse: "author", isToMany: true),
        Relationship(entity: "Book", key: "tags", destination: "Tag", inverse: "books", isToMany: true),
        Relationship(entity: "Tag", key: "books", destination: "Book", inverse: "tags", isToMany: true),
        Relationship(entity: "Book", key: "shelf", destination: "Shelf", inverse: "items", isToMany: false),
        Relationship(
            entity: "Shelf", key: "items", destination: "Book", inverse: "shelf", isToMany: true, isOrdered: true),
        Relationship(entity: "Author", key: "profile", destination: "Profile", inverse: "author", isToMany: false),
        Relationship(entity: "Profile", key: "author", destination: "Author", inverse: "profile", isToMany: false),
    ]

    static func root(_ entity: String) -> String { entity == "Novel" ? "Book" : entity }

    static func relationship(_ entity: String, _ key: String) -> Relationship? {
        relationships.first { $0.entity == root(entity) && $0.key == key }
    }

    func labels(of entity: String, withSubentities: Bool = true) -> [Int] {
        objects.filter { $0.value.entity == entity || withSubentities && Self.root($0.value.entity) == entity }
            .keys.sorted()
    }

    /// Plays a move. False if it cannot be played here, as objects that it needs are missing.
    mutating func play(_ move: ModelMove) -> Bool {
        switch move {
        case .insert(let label, let entity, let values):
            guard objects[label] == nil else { return false }
            objects[label] = ModelObject(entity: entity, values: values)
            touched.insert(label)
        case .set(let label, let key, let value):
            let value = value == .list([]) ? ModelValue.none : value
            guard let object = objects[label], object[key] != value else { return false }
            guard let relationship = Self.relationship(object.entity, key) else {
                objects[label]?.values[key] = value
                touched.insert(label)
                return true
            }
            let members = value.elements.compactMap { if case .object(let member) = $0 { member } else { nil } }
            guard members.allSatisfy({ objects[$0] != nil }) else { return false }
            connect(label, relationship, members)
        case .delete(let label):
            guard objects[label] != nil else { return false }
            remove(label)
        }
        return true
    }

    private mutating func remove(_ label: Int) {
        guard let object = objects[label] else { return }
        for relationship in Self.relationships where relationship.entity == Self.root(object.entity) {
            let members = Self.labels(object[relationship.key])
            connect(label, relationship, [])
            // Only this relationship takes its members with it.
            if relationship.entity == "Author", relationship.isToMany { for member in members { remove(member) } }
        }
        objects[label] = nil
        touched.insert(label)
    }

    static func labels(_ value: ModelValue) -> [Int] {
        value.elements.compactMap { if case .object(let label) = $0 { label } else { nil } }
    }

    private mutating func connect(_ label: Int, _ relationship: Relationship, _ members: [Int]) {
        let old = Self.labels(objects[label]?[relationship.key] ?? .none)
        guard let back = Self.relationship(relationship.destination, relationship.inverse) else { return }
        for member in old where !members.contains(member) { take(label, from: member, back) }
        for member in members where !old.contains(member) {
            if !back.isToMany, let former = Self.labels(objects[member]?[back.key] ?? .none).first {
                take(member, from: former, relationship)
            }
            put(label, to: member, back)
        }
        write(members, relationship, of: label)
    }

    private mutating func take(_ label: Int, from owner: Int, _ relationship: Relationship) {
        write(Self.labels(objects[owner]?[relationship.key] ?? .none).filter { $0 != label }, relationship, of: owner)
    }

    private mutating func put(_ label: Int, to owner: Int, _ relationship: Relationship) {
        let members = relationship.isToMany ? Self.labels(objects[owner]?[relationship.key] ?? .none) : []
        write(members + [label], relationship, of: owner)
    }

    private mutating func write(_ members: [Int], _ relationship: Relationship, of owner: Int) {
        let value: ModelValue
        if relationship.isToMany {
            value = .list((relationship.isOrdered ? members : members.sorted()).map { .object($0) })
        } else {
            value = members.first.map { .object($0) } ?? .none
        }
        touched.insert(owner)
        objects[owner]?.values[relationship.key] = value == .list([]) ? ModelValue.none : value
    }
}
