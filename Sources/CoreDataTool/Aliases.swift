import CoreData

// Foundation on Linux declares these names, too, and nobody can use them.
typealias NSCompoundPredicate = CoreData.NSCompoundPredicate
typealias NSExpression = CoreData.NSExpression
