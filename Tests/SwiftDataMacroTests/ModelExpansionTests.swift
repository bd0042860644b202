import Testing

@Suite("Expansions of @Model")
struct ModelExpansionTests {
    private static let trip = """
        @Model
        public final class Trip {
            var name: String
            var kind: Kind = .near  // an enumeration
            @Attribute(.unique, originalName: "code") private(set) var key = UUID()
            @Relationship(deleteRule: .cascade, inverse: \\Stop.trip)
            var stops: [Stop] = []
            @Transient var seen = 0
            static let shared = 1, other = 2
            var title: String { name + "!" }
            var `default`: String?
            #Index<Trip>([\\.name], [\\.name, \\.key])
            #Unique<Trip>([\\.name, \\.key])
            init(name: String) { self.name = name }
        }
        """

    @Test("The members of a class")
    func members() throws {
        let expansion = try CompilerMessage(declaration: Self.trip).expansion()
        let metadata = "        SwiftData.Schema.PropertyMetadata(name:"
        #expect(
            expansion == """
                @exclusivity(unchecked) nonisolated(unsafe) private var _$core: SwiftData._ModelCore \
                = SwiftData._ModelCore.next(Trip.self)

                public func _$settle() -> SwiftData._ModelCore { _$core }

                public typealias _$Root = Trip

                public var persistentBackingData: any SwiftData.BackingData<Trip> {
                    get { _$settle().backingData(of: Trip.self, self) }
                    set { _$settle().take(newValue) }
                }

                public static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                    [
                \(metadata) "name", keypath: \\Trip.name, defaultValue: nil, metadata: nil),
                \(metadata) "kind", keypath: \\Trip.kind, defaultValue: (.near) as Kind, metadata: nil),
                \(metadata) "key", keypath: \\Trip.key, defaultValue: UUID(), \
                metadata: SwiftData.Schema.Attribute(.unique, originalName: "code")),
                \(metadata) "stops", keypath: \\Trip.stops, defaultValue: ([]) as [Stop], \
                metadata: SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\Stop.trip)),
                \(metadata) "default", keypath: \\Trip.`default`, defaultValue: nil, metadata: nil),
                        SwiftData.Schema.PropertyMetadata(index: \
                SwiftData.Schema.Index<Trip>([\\.name], [\\.name, \\.key])),
                        SwiftData.Schema.PropertyMetadata(unique: SwiftData.Schema.Unique<Trip>([\\.name, \\.key])),
                    ]
                }

                public required init(backingData: any SwiftData.BackingData<Trip>) {
                    _name = SwiftData._NoType()
                    _kind = SwiftData._NoType()
                    _key = SwiftData._NoType()
                    _stops = SwiftData._NoType()
                    _default = SwiftData._NoType()
                    _$core.take(backingData)
                }
                """)
    }

    @Test("The members of a class below another model")
    func subclass() throws {
        let expansion = try CompilerMessage(
            declaration: "@Model class Dog: Animal { var bark: String; init() { bark = \"\" } }", missing: []
        ).expansion()
        #expect(
            expansion == """
                nonisolated(unsafe) private let _$core: SwiftData._EarlyCore = SwiftData._EarlyCore(Dog.self)

                override func _$settle() -> SwiftData._ModelCore {
                    super._$settle().joined(by: _$core, Dog.self)
                }

                override class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                    [
                        SwiftData.Schema.PropertyMetadata(name: "bark", keypath: \\Dog.bark, defaultValue: nil, metadata: nil),
                    ]
                }

                required init(backingData: any SwiftData.BackingData<_$Root>) {
                    _bark = SwiftData._NoType()
                    super.init(backingData: backingData)
                }
                """)
    }

    @Test(
        "Members have the access of the class, up to what others need",
        arguments: [
            ("private", ""), ("fileprivate", ""), ("internal", ""), ("", ""), ("package", "package "),
            ("public", "public "), ("open", "public "),
        ])
    func access(level: String, written: String) throws {
        let expansion = try CompilerMessage(declaration: "@Model \(level) class A { init() {} }").expansion()
        #expect(expansion.contains("\n\(written)required init(backingData:"))
        #expect(
            expansion.contains("\n\(written)class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {\n    []\n}")
        )
    }

    @Test("Properties that conditions leave out are left out of the schema and the initializer")
    func conditions() throws {
        let expansion = try CompilerMessage(
            declaration: """
                @Model final class A {
                    #if os(Linux)
                    var a: Int
                    #elseif DEBUG && !os(macOS)  // a comment
                    var b: Int
                    #else
                    #endif
                    init() {}
                }
                """
        ).expansion()
        #expect(
            expansion.contains(
                """
                    var metadata: [SwiftData.Schema.PropertyMetadata] = []
                    #if os(Linux)
                    metadata += [
                        SwiftData.Schema.PropertyMetadata(name: "a", keypath: \\A.a, defaultValue: nil, metadata: nil),
                    ]
                    #elseif DEBUG && !os(macOS)
                    metadata += [
                        SwiftData.Schema.PropertyMetadata(name: "b", keypath: \\A.b, defaultValue: nil, metadata: nil),
                    ]
                    #else
                    #endif
                    return metadata
                """))
        #expect(
            expansion.contains("{\n#if os(Linux)\n    _a = SwiftData._NoType()\n#elseif DEBUG && !os(macOS)\n    _b ="))
    }

    @Test("The schema of many properties is written in several expressions")
    func manyProperties() throws {
        let properties = (0..<70).map { "var p\($0): Int = 0\n" }.joined()
        let expansion = try CompilerMessage(declaration: "@Model class A {\n\(properties)init() {}\n}").expansion()
        #expect(expansion.split(separator: "metadata += [").count == 4)
    }

    @Test("Members of the class's own are not written again")
    func ownMembers() throws {
        let expansion = try CompilerMessage(
            declaration: """
                @Model final class A {
                    init() {}
                    init(backingData: any BackingData<A>) { fatalError() }
                    static var schemaMetadata: [Schema.PropertyMetadata] { [] }
                }
                """
        ).expansion()
        #expect(!expansion.contains("schemaMetadata") && !expansion.contains("init(backingData"))
    }

    @Test("Conformances that are missing are added, without an isolation")
    func conformances() throws {
        var message = CompilerMessage(role: "extension", declaration: "@available(macOS 14, *) @Model class Trip {}")
        #expect(
            try message.expansion() == """
                @available(macOS 14, *) extension Trip: nonisolated SwiftData.PersistentModel, \
                nonisolated Observation.Observable {}

                @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor \
                or use Trip's persistentModelID instead.")
                extension Trip: Swift.Sendable {}
                """)
        message.missing = []
        #expect(try message.expansion().isEmpty)
        message.missing = ["Sendable"]
        #expect(try message.expansion().hasPrefix("@available(*, unavailable"))
    }

    @Test(
        "Persisted properties get their attribute, other members none",
        arguments: [
            ("var a: Int", true), ("@Attribute(.unique) public private(set) var a: Int", true),
            ("\n  // a comment\n  @available(*, deprecated)\n  var a = 1 // more", true),
            ("var a: Int = 1 { didSet {} }", true),
            ("var a = { 3 }()", true), ("var a: Int { 1 }", false), ("var a: Int { get { 1 } set {} }", false),
            ("var a: Int {\n @available(*, deprecated) get { 1 } }", false), ("@Transient var a = 1", false),
            ("static var a = 1", false), ("class var a: Int { 1 }", false), ("lazy var a = 1", false),
            ("weak var a: A?", false), ("let a = 1", false), ("var a = 1, b = 2", false), ("func a() {}", false),
            ("init() {}", false), ("#Unique<A>([\\.a])", false), ("class B { var a = 1 }", false), ("", false),
        ])
    func attributes(member: String, isPersisted: Bool) throws {
        let message = CompilerMessage(
            role: "memberAttribute", declaration: member, surroundings: ["@Model\nclass A: B {}", "enum C {}"])
        #expect(try message.expansion() == (isPersisted ? "@SwiftData._PersistedProperty" : ""))
    }

    @Test(
        "Members of a type that is no model get no attribute",
        arguments: ["struct A {}", "class A<T> {}", "actor A {}"])
    func attributesOfOthers(surrounding: String) throws {
        let message = CompilerMessage(role: "memberAttribute", declaration: "var a: Int", surroundings: [surrounding])
        #expect(try message.expansion().isEmpty)
    }

    @Test("The Swift 5 language mode persists constants")
    func constants() throws {
        let message = CompilerMessage(
            role: "memberAttribute", declaration: "let a = 1", surroundings: ["class A {}"], mode: 5)
        #expect(try message.expansion() == "@SwiftData._PersistedProperty")
    }

    @Test("Accessors and places of a property")
    func accessors() throws {
        var message = CompilerMessage(
            macro: "PersistedPropertyMacro", role: "accessor", declaration: "var `default`: Int",
            surroundings: ["@Model class `Type`: Base {}"])
        #expect(
            try message.expansion() == """
                {
                    @storageRestrictions(accesses: _$core, initializes: _default)
                    init(initialValue) {
                        `Type`._$default.initialize(initialValue, of: _$core)
                        _default = SwiftData._NoType()
                    }
                    get { `Type`._$default.value(of: _$core, self) }
                    set { `Type`._$default.set(newValue, of: _$core, self) }
                }
                """)
        message.role = "peer"
        let slot = "nonisolated private static let _$default = SwiftData._Slot(\"default\")\n"
        #expect(try message.expansion() == slot + "private var _default: SwiftData._NoType")
        for declaration in [
            "var `default`: Int?", "var `default` = 1", "var `default`: Optional<Int>", "var `default`: Int!",
        ] {
            message.declaration = declaration
            #expect(try message.expansion() == slot + "private var _default: SwiftData._NoType = SwiftData._NoType()")
        }
    }

    @Test(
        "A property that may be a relationship tells where its model is",
        arguments: [
            ("var a: Stop", true), ("var a: [Stop]?", true), ("var a: Kind = .near", true), ("var a = [Stop]()", true),
            ("var a: Swift.Int?", false), ("var a: [String: Date] = [:]", false), ("var a = 1", false),
            ("var a = UUID()", false),
        ])
    func place(declaration: String, isPlaced: Bool) throws {
        let accessors = try CompilerMessage(
            macro: "PersistedPropertyMacro", role: "accessor", declaration: declaration,
            surroundings: ["@Model class Trip {}"]
        ).expansion()
        #expect(accessors.contains("Trip._$a.place(initialValue, at: &_$core)") == isPlaced)
        let members = try CompilerMessage(declaration: "@Model class Trip { \(declaration); init() {} }").expansion()
        #expect(members.contains("private var _$core") == isPlaced)
    }

    @Test("The members and the conformance of a model actor")
    func modelActor() throws {
        var message = CompilerMessage(
            macro: "ModelActorMacro", declaration: "@ModelActor public actor Trip { let a = 1 }",
            missing: ["ModelActor"])
        #expect(
            try message.expansion() == """
                nonisolated public let modelExecutor: any SwiftData.ModelExecutor

                nonisolated public let modelContainer: SwiftData.ModelContainer

                public init(modelContainer: SwiftData.ModelContainer) {
                    let modelContext = SwiftData.ModelContext(modelContainer)
                    self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
                    self.modelContainer = modelContainer
                }
                """)
        message.declaration = "@ModelActor actor Trip { init(modelContainer: ModelContainer) {} }"
        #expect(try !message.expansion().contains("init("))
        message.role = "extension"
        #expect(try message.expansion() == "extension Trip: SwiftData.ModelActor {}")
    }
}
