/// An operand of a predicate: a constant, a key path, a variable, or a function of other expressions.
///
/// Foundation on Linux declares a class of this name that cannot be created. A target that imports Foundation beside
/// CoreData needs `typealias NSExpression = CoreData.NSExpression` once; the plugin writes it. Expressions are
/// immutable. Threads may share an expression as long as the program does not change the constants in it.
///
/// An expression has at most 1,000 levels. Creating a deeper one stops the process.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression)
open class NSExpression: NSObject, NSCopying {
    /// The kinds of expressions. The raw values are Foundation's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/expressiontype)
    public enum ExpressionType: UInt, Sendable {
        /// A fixed value.
        case constantValue = 0
        /// The evaluated object: `SELF`.
        case evaluatedObject = 1
        /// A variable: `$name`.
        case variable = 2
        /// A key path of the evaluated object.
        case keyPath = 3
        /// A function of other expressions.
        case function = 4
        /// The union of two collections.
        case unionSet = 5
        /// The common elements of two collections.
        case intersectSet = 6
        /// The elements of one collection that another one does not have.
        case minusSet = 7
        /// The elements of a collection for which a predicate holds.
        case subquery = 13
        /// A collection of expressions.
        case aggregate = 14
        /// Any key, for Spotlight queries.
        case anyKey = 15
        /// A value that a block computes.
        case block = 19
        /// One of two expressions, chosen by a predicate.
        case conditional = 20
        /// The results of a fetch: ``NSFetchRequestExpression``. Foundation's enumeration does not have this case.
        case fetchRequest = 50
    }

    /// The closure of a block expression. It gets the object, the values of the arguments, and the context.
    ///
    /// A value that is missing among the arguments is `NSNull`.
    public typealias ExpressionBlock = (Any?, [Any], NSMutableDictionary?) -> Any

    enum SetOperation: UInt {
        case union = 5
        case intersect = 6
        case minus = 7
    }

    /// The content of an expression.
    enum Payload {
        case constant(Any?, ExpressionValue)
        case evaluatedObject
        case variable(String)
        /// A key path read from the evaluated object (`operand` is nil) or from the value of another expression.
        case keyPath(KeyValuePath, operand: NSExpression?)
        /// A function of the library (`target` is nil) or a function of the target's object.
        case function(String, target: NSExpression?, arguments: [NSExpression])
        case set(SetOperation, NSExpression, NSExpression)
        case subquery(NSExpression, variable: String, NSPredicate)
        case aggregate([NSExpression])
        case anyKey
        case block(ExpressionBlock, arguments: [NSExpression])
        case conditional(NSPredicate, NSExpression, NSExpression)
        /// The results of a fetch in a context, or their number; the expression is an `NSFetchRequestExpression`.
        case fetch(NSExpression, context: NSExpression, countOnly: Bool)
        /// A type only, because the subclass evaluates itself.
        case subclass(ExpressionType)
    }

    let payload: Payload
    /// The function of the library that a function expression calls, looked up once.
    let libraryFunction: ExpressionFunction?

    /// The depth of the nested expressions and predicates.
    let height: Int
    /// Whether the expression is a key path of the evaluated object, or a value that is no object. Each fetch reads it,
    /// and a read of `payload` would copy the payload.
    let isPlain: Bool

    /// The greatest height of an expression. Evaluating and printing an expression calls as deep as that, and the stack
    /// of a thread is limited.
    static let heightLimit = 1000

    init(payload: Payload) {
        let height = payload.height
        require(
            height <= Self.heightLimit,
            "An NSExpression of \(height) expressions within each other cannot be made: \(Self.heightLimit) is the most. "
                + "Add up the values of an aggregate (sum:) instead of adding one to the other.")
        self.payload = payload
        self.height = height
        isPlain =
            switch payload {
            case .keyPath(_, nil): true
            case .constant(_, let value): value.isPlain
            default: false
            }
        libraryFunction =
            if case .function(let name, target: nil, _) = payload { ExpressionFunction.named(name) } else { nil }
        super.init()
    }

    /// Creates an expression for a value of a known kind, without the copies of the payload that ``init(payload:)``
    /// makes.
    init(constant value: Any?, _ kind: ExpressionValue) {
        isPlain = kind.isPlain
        payload = .constant(value, kind)
        height = 1
        libraryFunction = nil
        super.init()
    }

    /// Creates an expression of a subclass, which overrides ``expressionValue(with:context:)``.
    ///
    /// - Parameter type: The kind that the expression has.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(expressiontype:))
    public init(expressionType type: ExpressionType) {
        payload = .subclass(type)
        libraryFunction = nil
        height = 1
        isPlain = false
        super.init()
    }

    // MARK: Creating

    /// Creates an expression for a fixed value.
    ///
    /// - Parameter value: The value. Numbers of Swift's types become `NSNumber`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forconstantvalue:))
    public convenience init(forConstantValue value: Any?) {
        let value = ExpressionValue.bridged(value)
        self.init(constant: value, ExpressionValue(value))
    }

    /// Creates an expression for the evaluated object: `SELF`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/expressionforevaluatedobject())
    open class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(payload: .evaluatedObject)
    }

    /// Creates an expression for a variable: `$name`. Its value comes from the context of the evaluation.
    ///
    /// - Parameter string: The name of the variable without `$`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forvariable:))
    public convenience init(forVariable string: String) {
        self.init(payload: .variable(string))
    }

    /// Creates an expression for a key path.
    ///
    /// - Parameter keyPath: A key path such as `name`, `department.name` or `employees.@avg.salary`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forkeypath:))
    public convenience init(forKeyPath keyPath: String) {
        self.init(payload: .keyPath(KeyValuePath(keyPath), operand: nil))
    }

    /// Creates an expression for a function of the library.
    ///
    /// Apple's page lists the functions. An unknown name, a wrong number of arguments, and an argument that is no
    /// expression stop the process.
    ///
    /// - Parameters:
    ///   - name: The selector of the function, such as `sum:`, `count:`, `add:to:`, `lowercase:` or `now`.
    ///   - parameters: The arguments: ``NSExpression`` objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forfunction:arguments:))
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        let arguments = Self.expressions(parameters, "forFunction:arguments:")
        guard let function = ExpressionFunction.named(name), function.accepts(arguments.count) else {
            fatalError("Unsupported function expression \(name) with \(arguments.count) arguments")
        }
        self.init(payload: .function(name, target: nil, arguments: arguments))
    }

    /// Creates an expression for a function of an object: `FUNCTION(target, "name:", argument)`.
    ///
    /// The object has to have the function when the expression is evaluated; otherwise the process stops. Without
    /// arguments the name is read as a property of the object.
    ///
    /// - Parameters:
    ///   - target: An expression that gives the object.
    ///   - name: The selector of the function.
    ///   - parameters: The arguments: ``NSExpression`` objects. Anything else stops the process.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forfunction:selectorname:arguments:))
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let arguments = Self.expressions(parameters ?? [], "forFunction:selectorName:arguments:")
        self.init(payload: .function(name, target: target, arguments: arguments))
    }

    /// Creates an expression for a collection of expressions: `{1, 2, name}`.
    ///
    /// - Parameter subexpressions: The elements. An element that is no expression becomes a constant.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(foraggregate:))
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(payload: .aggregate(subexpressions.map { $0 as? NSExpression ?? NSExpression(forConstantValue: $0) }))
    }

    /// Creates an expression for the union of two collections.
    ///
    /// - Parameters:
    ///   - left: The left collection.
    ///   - right: The right collection.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forunionset:with:))
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(payload: .set(.union, left, right))
    }

    /// Creates an expression for the common elements of two collections.
    ///
    /// - Parameters:
    ///   - left: The left collection, which gives the order of the elements.
    ///   - right: The right collection.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forintersectset:with:))
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(payload: .set(.intersect, left, right))
    }

    /// Creates an expression for the elements of the left collection that the right one does not have.
    ///
    /// - Parameters:
    ///   - left: The left collection.
    ///   - right: The right collection.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forminusset:with:))
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(payload: .set(.minus, left, right))
    }

    /// Creates an expression for the elements of a collection for which a predicate holds.
    ///
    /// Its format is `SUBQUERY(collection, $variable, predicate)`.
    ///
    /// - Parameters:
    ///   - expression: The collection.
    ///   - variable: The name of the variable for an element, without `$`.
    ///   - predicate: The condition, with the variable in it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forsubquery:usingiteratorvariable:predicate:))
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        self.init(payload: .subquery(expression, variable: variable, predicate))
    }

    /// Creates an expression for any key, for Spotlight queries. Its value is nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/expressionforanykey())
    open class func expressionForAnyKey() -> NSExpression {
        NSExpression(payload: .anyKey)
    }

    /// Creates an expression whose value a block computes. Stores cannot translate it.
    ///
    /// - Parameters:
    ///   - block: A closure that gets the object, the values of the arguments, and the context.
    ///   - arguments: The arguments; nil stands for none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forblock:arguments:))
    public convenience init(forBlock block: @escaping ExpressionBlock, arguments: [NSExpression]?) {
        self.init(payload: .block(block, arguments: arguments ?? []))
    }

    /// Creates an expression for one of two expressions: `TERNARY(predicate, true, false)`.
    ///
    /// - Parameters:
    ///   - predicate: The condition.
    ///   - trueExpression: The expression for objects that meet the condition.
    ///   - falseExpression: The expression for all other objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(forconditional:trueexpression:falseexpression:))
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        self.init(payload: .conditional(predicate, trueExpression, falseExpression))
    }

    private static func expressions(_ parameters: [Any], _ caller: String) -> [NSExpression] {
        parameters.map { parameter in
            guard let expression = parameter as? NSExpression else {
                fatalError("NSExpression \(caller): an argument is not an expression: \(parameter)")
            }
            return expression
        }
    }

    // MARK: Parts

    /// The kind of this expression. A key path on a variable or another expression is a function of it, as in
    /// Foundation.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/expressiontype)
    open var expressionType: ExpressionType {
        switch payload {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath(_, let operand): operand == nil ? .keyPath : .function
        case .function: .function
        case .set(let operation, _, _): ExpressionType(rawValue: operation.rawValue) ?? .unionSet
        case .subquery: .subquery
        case .aggregate: .aggregate
        case .anyKey: .anyKey
        case .block: .block
        case .conditional: .conditional
        case .fetch: .fetchRequest
        case .subclass(let type): type
        }
    }

    /// The value of a constant. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/constantvalue)
    open var constantValue: Any? {
        guard case .constant(let value, _) = payload else { missing("constantValue") }
        return value
    }

    /// The text of a key path. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/keypath)
    open var keyPath: String {
        guard case .keyPath(let path, _) = payload else { missing("keyPath") }
        return path.text
    }

    /// The selector of a function. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/function)
    open var function: String {
        switch payload {
        case .function(let name, _, _): return name
        case .keyPath(let path, .some): return path.keys.count == 1 ? "valueForKey:" : "valueForKeyPath:"
        default: missing("function")
        }
    }

    /// The name of a variable, or of the variable of a subquery, without `$`. Stops the process for other kinds of
    /// expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/variable)
    open var variable: String {
        switch payload {
        case .variable(let name), .subquery(_, variable: let name, _): return name
        default: missing("variable")
        }
    }

    /// The object that a function belongs to. Stops the process for other kinds of expressions.
    ///
    /// For the functions of the library it is a constant that names the library. For a key path it is `SELF`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/operand)
    open var operand: NSExpression {
        switch payload {
        case .function(_, let target, _): return target ?? NSExpression(forConstantValue: ExpressionFunction.library)
        case .keyPath(_, let operand): return operand ?? .expressionForEvaluatedObject()
        default: missing("operand")
        }
    }

    /// The arguments of a function or a block. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/arguments)
    open var arguments: [NSExpression]? {
        switch payload {
        case .function(_, _, let arguments), .block(_, let arguments): return arguments
        case .keyPath(let path, .some): return [NSExpression(forConstantValue: path.text)]
        default: missing("arguments")
        }
    }

    /// The expressions of an aggregate, or the collection of a subquery. Stops the process for other kinds of
    /// expressions.
    ///
    /// For a constant it is the value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/collection)
    open var collection: Any {
        switch payload {
        case .aggregate(let elements): return elements
        case .subquery(let collection, _, _): return collection
        case .constant(let value?, _): return value
        default: missing("collection")
        }
    }

    /// The predicate of a subquery or of a conditional expression. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/predicate)
    open var predicate: NSPredicate {
        switch payload {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: missing("predicate")
        }
    }

    /// The left operand of a set expression. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/left)
    open var left: NSExpression {
        guard case .set(_, let left, _) = payload else { missing("leftExpression") }
        return left
    }

    /// The right operand of a set expression. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/right)
    open var right: NSExpression {
        guard case .set(_, _, let right) = payload else { missing("rightExpression") }
        return right
    }

    /// The expression of a conditional expression for objects that meet the predicate. Stops the process for other
    /// kinds.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/true)
    open var `true`: NSExpression {
        guard case .conditional(_, let expression, _) = payload else { missing("trueExpression") }
        return expression
    }

    /// The expression of a conditional expression for all other objects. Stops the process for other kinds.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/false)
    open var `false`: NSExpression {
        guard case .conditional(_, _, let expression) = payload else { missing("falseExpression") }
        return expression
    }

    /// The closure of a block expression. Stops the process for other kinds of expressions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/expressionblock)
    open var expressionBlock: ExpressionBlock {
        guard case .block(let block, _) = payload else { missing("expressionBlock") }
        return block
    }

    private func missing(_ property: String) -> Never {
        fatalError("\(property) is not defined for the expression \(self) of type \(expressionType)")
    }

    // MARK: Evaluating

    /// Evaluates the expression.
    ///
    /// A key path through a collection gives an array. A variable without a value stops the process.
    ///
    /// - Parameters:
    ///   - object: The object that `SELF` and key paths refer to.
    ///   - context: The values of variables, by their names without `$`.
    /// - Returns: The value. Nil if there is none: a missing key of a dictionary, a key path through nil, or arithmetic
    ///   on nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/expressionvalue(with:context:))
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        if case .subclass(let type) = payload {
            fatalError("\(Swift.type(of: self)) of type \(type) has to override expressionValue(with:context:)")
        }
        return value(in: EvaluationContext(object, dictionary: context))
    }

    // MARK: NSObject

    /// The expression in the syntax of format strings.
    open override var description: String { printed }

    /// The expression itself, as it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The expression itself, as it is immutable.
    open override func copy() -> Any { copy(with: nil) }

    /// Whether another expression has the same content. Constants are equal if a predicate takes them for equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || payload.isEqual(to: other.payload)
    }

    /// A hash that agrees with equality.
    open override var hash: Int {
        // Equal numbers have one printed text, so the text is a hash that agrees with `isEqual`.
        switch payload {
        case .keyPath(let path, _): path.text.hashValue
        case .constant(_, let value): value.hashText.hashValue
        case .block, .subclass: ObjectIdentifier(self).hashValue
        default: printed.hashValue
        }
    }
}
