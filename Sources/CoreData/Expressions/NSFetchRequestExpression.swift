import Foundation

/// The kind of expression that fetches.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestexpressiontype)
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// An expression for the results of a fetch request in a context, or for their number.
///
/// Its format is `FETCH(request, context, NO)`. Mapping models use it for the objects that an entity mapping begins
/// with. Evaluating it takes the context's queue. It stops the process if the operands are no request and no context,
/// or if the fetch fails.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestexpression)
open class NSFetchRequestExpression: NSExpression {
    /// Creates an expression for a fetch.
    ///
    /// - Parameters:
    ///   - fetch: An expression that gives an ``NSFetchRequest``.
    ///   - context: An expression that gives an ``NSManagedObjectContext``.
    ///   - countFlag: Whether the value is the number of objects in place of the objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestexpression/expression(forfetch:context:countonly:))
    open class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(payload: .fetch(fetch, context: context, countOnly: countFlag))
    }

    /// The expression that gives the request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestexpression/requestexpression)
    open var requestExpression: NSExpression { parts.request }

    /// The expression that gives the context.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestexpression/contextexpression)
    open var contextExpression: NSExpression { parts.context }

    /// Whether the value is the number of objects in place of the objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestexpression/iscountonlyrequest)
    open var isCountOnlyRequest: Bool { parts.countOnly }

    private var parts: (request: NSExpression, context: NSExpression, countOnly: Bool) {
        guard case .fetch(let request, let context, let countOnly) = payload else {
            fatalError("An NSFetchRequestExpression is made by expression(forFetch:context:countOnly:)")
        }
        return (request, context, countOnly)
    }

    /// Executes the fetch. Operands that are no request and no context leave a predicate undecided, and so does a fetch
    /// that fails, because an expression cannot throw.
    static func result(of request: Any?, in context: Any?, countOnly: Bool) -> Any {
        do {
            if let request, let context = context as? any ExpressionFetching,
                let value = try context.expressionValue(of: request, countOnly: countOnly)
            {
                return value
            }
        } catch {
            UndecidedPredicate.note("A fetch within an expression failed: \(error.localizedDescription)")
            return NSNull()
        }
        UndecidedPredicate.note(
            "FETCH takes an NSFetchRequest and an NSManagedObjectContext, not \(request ?? "nil") and \(context ?? "nil")"
        )
        return NSNull()
    }
}

/// The part of a context that expressions use. They use no other member of it.
protocol ExpressionFetching: AnyObject {
    /// The results of a request, or their number; nil if it is no request.
    func expressionValue(of request: Any, countOnly: Bool) throws -> Any?
}
