import CoreData

// Foundation declares these names, unusable.
typealias NSExpression = CoreData.NSExpression
typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
typealias NSCompoundPredicate = CoreData.NSCompoundPredicate
