import CoreData

// Foundation on Linux declares these names, too, but its declarations are unavailable.
typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
typealias NSCompoundPredicate = CoreData.NSCompoundPredicate
typealias NSExpression = CoreData.NSExpression
