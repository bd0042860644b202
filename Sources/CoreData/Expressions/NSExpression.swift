/// An operand of a predicate: a constant, a key path, a variable, a function of other expressions …
///
/// Foundation on Linux declares a class of this name that cannot be created. This one is complete; a file that imports
/// Foundation by name beside CoreData says `typealias NSExpression = CoreData.NSExpression` once in its module.
///
/// Expressions are immutable: sharing one between threads is safe as long as the constants in it are not changed.
open class NSExpression: NSObject, NSCopying {
    /// What kind of operand an expression is. Raw values are Foundation's.
    public enum ExpressionType: UInt, Sendable {
        case constantValue = 0
        case evaluatedObject = 1
        case variable = 2
        case keyPath = 3
        case function = 4
        case unionSet = 5
        case intersectSet = 6
        case minusSet = 7
        case subquery = 13
        case aggregate = 14
        case anyKey = 15
        case block = 19
        case conditional = 20
        /// What a fetch finds: `NSFetchRequestExpression`.
        case fetchRequest = 50
    }

    /// The body of a block expression: the object, the evaluated arguments, the context.
    public typealias ExpressionBlock = (Any?, [Any], NSMutableDictionary?) -> Any

    enum SetOperation: UInt {
        case union = 5
        case intersect = 6
        case minus = 7
    }

    /// What an expression is made of.
    enum Payload {
        case constant(Any?, ExpressionValue)
        case evaluatedObject
        case variable(String)
        /// A key path read from the evaluated object (`operand` is nil) or from what another expression gives.
        case keyPath(KeyValuePath, operand: NSExpression?)
        /// A function of the library (`target` is nil) or one that the target's object is asked for.
        case function(String, target: NSExpression?, arguments: [NSExpression])
        case set(SetOperation, NSExpression, NSExpression)
        case subquery(NSExpression, variable: String, NSPredicate)
        case aggregate([NSExpression])
        case anyKey
        case block(ExpressionBlock, arguments: [NSExpression])
        case conditional(NSPredicate, NSExpression, NSExpression)
        /// What a fetch finds in a context, or how much; the expression is an `NSFetchRequestExpression`.
        case fetch(NSExpression, context: NSExpression, countOnly: Bool)
        /// Only a type: the subclass evaluates itself.
        case subclass(ExpressionType)
    }

    let payload: Payload
    /// The function of the library that a function expression calls, looked up once.
    let libraryFunction: ExpressionFunction?

    /// How many expressions and predicates lie on each other here at most.
    let height: Int

    /// How high an expression may be. Evaluating and printing one calls as deep as that, and the stack of a thread is
    /// short.
    static let heightLimit = 1000

    init(payload: Payload) {
        let height = payload.height
        require(
            height <= Self.heightLimit,
            "An NSExpression of \(height) expressions within each other cannot be made: \(Self.heightLimit) is the most. "
                + "Add up the values of an aggregate (sum:) instead of adding one to the other.")
        self.payload = payload
        self.height = height
        libraryFunction =
            if case .function(let name, target: nil, _) = payload { ExpressionFunction.named(name) } else { nil }
        super.init()
    }

    /// Creates an expression of a subclass's own, which overrides `expressionValue(with:context:)`.
    public init(expressionType type: ExpressionType) {
        payload = .subclass(type)
        libraryFunction = nil
        height = 1
        super.init()
    }

    // MARK: Creating

    /// An expression for a fixed value. Numbers of Swift's types become `NSNumber`.
    public convenience init(forConstantValue value: Any?) {
        self.init(payload: .makeConstant(value))
    }

    /// The object that is evaluated: `SELF`.
    open class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(payload: .evaluatedObject)
    }

    /// A variable: `$name`. Its value comes from the context of the evaluation.
    public convenience init(forVariable string: String) {
        self.init(payload: .variable(string))
    }

    /// A key path such as `name`, `department.name` or `employees.@avg.salary`.
    public convenience init(forKeyPath keyPath: String) {
        self.init(payload: .keyPath(KeyValuePath(keyPath), operand: nil))
    }

    /// A function of the library by its selector, such as `sum:`, `count:`, `add:to:`, `lowercase:`, `now`.
    ///
    /// The list is in the documentation of `NSExpression(forFunction:arguments:)` at Apple. An unknown name or a wrong
    /// number of arguments stops the process. `parameters` holds expressions.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        let arguments = Self.expressions(parameters, "forFunction:arguments:")
        guard let function = ExpressionFunction.named(name), function.accepts(arguments.count) else {
            fatalError("Unsupported function expression \(name) with \(arguments.count) arguments")
        }
        self.init(payload: .function(name, target: nil, arguments: arguments))
    }

    /// A function of the object that `target` gives, by its selector: `FUNCTION(target, "name:", argument)`.
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let arguments = Self.expressions(parameters ?? [], "forFunction:selectorName:arguments:")
        self.init(payload: .function(name, target: target, arguments: arguments))
    }

    /// A collection of expressions: `{1, 2, name}`. Elements that are no expressions become constants.
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(payload: .aggregate(subexpressions.map { $0 as? NSExpression ?? NSExpression(forConstantValue: $0) }))
    }

    /// The union of two collections.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(payload: .set(.union, left, right))
    }

    /// What two collections have in common.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(payload: .set(.intersect, left, right))
    }

    /// What the left collection has and the right one has not.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(payload: .set(.minus, left, right))
    }

    /// The elements of a collection for which a predicate holds: `SUBQUERY(collection, $variable, predicate)`.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        self.init(payload: .subquery(expression, variable: variable, predicate))
    }

    /// An expression that is any key, for Spotlight queries. Evaluated, it gives nothing.
    open class func expressionForAnyKey() -> NSExpression {
        NSExpression(payload: .anyKey)
    }

    /// An expression computed by a block from the object and the values of `arguments`. Stores cannot translate it.
    public convenience init(forBlock block: @escaping ExpressionBlock, arguments: [NSExpression]?) {
        self.init(payload: .block(block, arguments: arguments ?? []))
    }

    /// One of two expressions, as a predicate decides: `TERNARY(predicate, true, false)`.
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

    /// The value of a constant. Another kind of expression stops the process.
    open var constantValue: Any? {
        guard case .constant(let value, _) = payload else { missing("constantValue") }
        return value
    }

    /// The key path's text.
    open var keyPath: String {
        guard case .keyPath(let path, _) = payload else { missing("keyPath") }
        return path.text
    }

    /// The selector of a function.
    open var function: String {
        switch payload {
        case .function(let name, _, _): return name
        case .keyPath(let path, .some): return path.keys.count == 1 ? "valueForKey:" : "valueForKeyPath:"
        default: missing("function")
        }
    }

    /// The name of a variable, or the iterator of a subquery, without `$`.
    open var variable: String {
        switch payload {
        case .variable(let name), .subquery(_, variable: let name, _): return name
        default: missing("variable")
        }
    }

    /// The object a function belongs to; for the library's functions a constant that names the library.
    open var operand: NSExpression {
        switch payload {
        case .function(_, let target, _): return target ?? NSExpression(forConstantValue: ExpressionFunction.library)
        case .keyPath(_, let operand): return operand ?? .expressionForEvaluatedObject()
        default: missing("operand")
        }
    }

    /// The arguments of a function or a block.
    open var arguments: [NSExpression]? {
        switch payload {
        case .function(_, _, let arguments), .block(_, let arguments): return arguments
        case .keyPath(let path, .some): return [NSExpression(forConstantValue: path.text)]
        default: missing("arguments")
        }
    }

    /// What an aggregate holds (an array of expressions), or the collection of a subquery.
    open var collection: Any {
        switch payload {
        case .aggregate(let elements): return elements
        case .subquery(let collection, _, _): return collection
        case .constant(let value?, _): return value
        default: missing("collection")
        }
    }

    /// The predicate of a subquery or of a conditional expression.
    open var predicate: NSPredicate {
        switch payload {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: missing("predicate")
        }
    }

    /// The left operand of a set expression.
    open var left: NSExpression {
        guard case .set(_, let left, _) = payload else { missing("leftExpression") }
        return left
    }

    /// The right operand of a set expression.
    open var right: NSExpression {
        guard case .set(_, _, let right) = payload else { missing("rightExpression") }
        return right
    }

    /// What a conditional expression gives when its predicate holds.
    open var `true`: NSExpression {
        guard case .conditional(_, let expression, _) = payload else { missing("trueExpression") }
        return expression
    }

    /// What a conditional expression gives when its predicate does not hold.
    open var `false`: NSExpression {
        guard case .conditional(_, _, let expression) = payload else { missing("falseExpression") }
        return expression
    }

    /// The block of a block expression.
    open var expressionBlock: ExpressionBlock {
        guard case .block(let block, _) = payload else { missing("expressionBlock") }
        return block
    }

    private func missing(_ property: String) -> Never {
        fatalError("\(property) is not defined for the expression \(self) of type \(expressionType)")
    }

    // MARK: Evaluating

    /// Evaluates the expression with `object` as `SELF`; variables are looked up in `context` by name, without `$`.
    ///
    /// Gives `nil` where there is no value: a missing key of a dictionary, a path through nothing, arithmetic on
    /// nothing. A variable that has no value stops the process. A key path through a collection gives an array.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        if case .subclass(let type) = payload {
            fatalError("\(Swift.type(of: self)) of type \(type) has to override expressionValue(with:context:)")
        }
        return value(in: EvaluationContext(object, dictionary: context))
    }

    // MARK: NSObject

    open override var description: String { printed }

    /// Expressions are immutable, a copy is the expression itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func copy() -> Any { copy(with: nil) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || payload.isEqual(to: other.payload)
    }

    open override var hash: Int {
        // Numbers that are equal print alike, so that the text is a hash that agrees with `isEqual`.
        switch payload {
        case .keyPath(let path, _): path.text.hashValue
        case .constant(_, let value): value.hashText.hashValue
        case .block, .subclass: ObjectIdentifier(self).hashValue
        default: printed.hashValue
        }
    }
}
