import Foundation

/// The kind of expression that fetches.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// What a fetch request finds in a context, as an operand: `FETCH(request, context, NO)`; or how much it finds.
///
/// Mapping models use it for the objects that an entity mapping begins with.
open class NSFetchRequestExpression: NSExpression {
    /// An expression over two others: one gives an `NSFetchRequest`, one an `NSManagedObjectContext`. With `countOnly`
    /// its value is the number of objects.
    open class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(payload: .fetch(fetch, context: context, countOnly: countFlag))
    }

    /// Gives the request.
    open var requestExpression: NSExpression { parts.request }

    /// Gives the context.
    open var contextExpression: NSExpression { parts.context }

    /// Whether the value is a number instead of what was found.
    open var isCountOnlyRequest: Bool { parts.countOnly }

    private var parts: (request: NSExpression, context: NSExpression, countOnly: Bool) {
        guard case .fetch(let request, let context, let countOnly) = payload else {
            fatalError("An NSFetchRequestExpression is made by expression(forFetch:context:countOnly:)")
        }
        return (request, context, countOnly)
    }

    /// Executes the fetch. What is no request or no context stops the process, as does a request that fails: there are
    /// no exceptions that an expression could throw.
    static func result(of request: Any?, in context: Any?, countOnly: Bool) -> Any {
        do {
            if let request, let context = context as? any ExpressionFetching,
                let value = try context.expressionValue(of: request, countOnly: countOnly)
            {
                return value
            }
        } catch {
            fatalError("A fetch within an expression failed: \(error.localizedDescription)")
        }
        fatalError(
            "FETCH takes an NSFetchRequest and an NSManagedObjectContext, not \(request ?? "nil") and \(context ?? "nil")"
        )
    }
}

/// What fetches for an expression: a context. The expressions know no more of it.
protocol ExpressionFetching: AnyObject {
    /// What a request finds, or how much; nil where it is no request.
    func expressionValue(of request: Any, countOnly: Bool) throws -> Any?
}
