import SwiftData

// Classes of many shapes, whose expansions are to compile without a warning.

public enum Kind: String, Codable, Sendable { case near, far }

enum SecondVersion {}

extension SecondVersion {
    @Model final class Item {
        var name = ""
        init() {}
    }
}

extension SecondVersion.Item {
    convenience init(name: String) {
        self.init()
        self.name = name
    }
}

enum FirstVersion {
    @Model final class Item {
        var name: String = ""
        var when = Date()
        init() {}
    }

    @Model public class Names {
        public private(set) var id: Int
        var `default`: String?
        var tags = [String]()
        var description: String = "d"
        var hash: Int = 0
        var value: Double = 1
        var context: String = ""
        private var secret: Int = 1
        fileprivate(set) var other: [String: Int] = ["a": 1]
        public init(id: Int) { self.id = id }
    }

    @available(*, deprecated) @Model
    public final class Old {
        var number = 1
        init() {}
    }
}

@Model class Animal {
    var name: String
    init(name: String) { self.name = name }
    var capitals: String {
        get {
            access(keyPath: \.capitals)
            return name.uppercased()
        }
        set { withMutation(keyPath: \.capitals) { name = newValue } }
    }
}

@Model class Dog: Animal {
    var bark: String
    var loud: Bool = true
    init(bark: String) {
        self.bark = bark
        super.init(name: "dog")
    }
    func look() {
        access(keyPath: \.name)
        access(keyPath: \.bark)
    }
}

@Model final class Puppy: Dog {
    var age: Int
    var months: Int { age * 12 }
    init(age: Int) {
        self.age = age
        super.init(bark: "w")
    }
}

@Model
public final class Full {
    @Attribute(.unique)
    public var key: UUID
    /* block */ var text: String = """
        several
          lines
        """
    var kind: Kind = .near  // behind
    var list: [Kind] = [.near, .far]
    var dictionary: Dictionary<String, [Int]> = [:]
    var optional: Optional<String>
    var implicit: String! = "i"
    var closure: Int = { 3 }()
    @Relationship(deleteRule: .cascade, inverse: \Leaf.full)
    var leaves: [Leaf]? = []
    static let shared = 1, other = 2
    static var count: Int { 1 }
    @Transient var note: String = "", more: Int = 2
    @Transient lazy var slow = 4
    @Transient private var cache: [String: Any]?
    var computed: String { text + "x" }
    var settable: Int {
        get { 1 }
        set {}
    }
    #if os(Linux)
    var linux: Int = 1
    #else
    var apple: Int = 1
    #endif
    #Unique<Full>([\.key], [\.text, \.kind])
    #Index<Full>([\.text])
    convenience init(number: Int) {
        self.init()
        text = "\(number)"
    }
    init() {
        key = UUID()
        optional = nil
    }
    struct Inner { var a: Int }
    subscript(place: Int) -> Int { place }
    deinit {}
}

@Model private final class Secret {
    private var a: Int = 1
    init() {}
}

@Model fileprivate class Hidden {
    var a: Int
    init(a: Int) { self.a = a }
}

@Model final class `Type` {
    var `class`: String = ""
    init() {}
}

@Model final class Leaf {
    var full: Full?
    init() {}
}

@Model open class Opened {
    open var a: Int = 1
    public init() {}
}

@Model final class Coded: Codable {
    var a: Int
    enum CodingKeys: CodingKey { case a }
    init(from decoder: any Decoder) throws {
        a = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .a)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(a, forKey: .a)
    }
}

@ModelActor actor Handler {}
@ModelActor public actor OtherHandler { let extra: Int = 1 }

@main
enum Program {
    static func main() {
        let puppy = Puppy(age: 3)
        print(puppy.name, puppy.bark, puppy.age, puppy.loud, puppy.months)
        puppy.capitals = "Q"
        puppy.bark = "e"
        print(puppy.name, puppy.bark, Puppy.schemaMetadata.map(\.name), Dog.schemaMetadata.map(\.name))
        let names = FirstVersion.Names(id: 3)
        names.tags.append("x")
        print(names.tags, names.id, names.default == nil, names.hash)
        print(Full(number: 7).text, Full.schemaMetadata.map(\.name))
    }
}
