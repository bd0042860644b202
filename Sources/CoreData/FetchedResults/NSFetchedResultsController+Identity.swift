// A delegate gets a controller in another form, with another result type. The operators are written for each
// combination of optionals, because only then the compiler prefers them to those for any two objects. Two optionals of
// different result types are missing, because a delegate's controller is never optional.

/// Whether both are the same controller, or one is the form of the other that delegates get.
///
/// OpenCoreData only.
public func === <A, B>(lhs: NSFetchedResultsController<A>, rhs: NSFetchedResultsController<B>) -> Bool {
    lhs.core === rhs.core
}

/// Whether both are the same controller, or one is the form of the other that delegates get.
///
/// OpenCoreData only.
public func === <A, B>(lhs: NSFetchedResultsController<A>?, rhs: NSFetchedResultsController<B>) -> Bool {
    lhs?.core === rhs.core
}

/// Whether both are the same controller, or one is the form of the other that delegates get.
///
/// OpenCoreData only.
public func === <A, B>(lhs: NSFetchedResultsController<A>, rhs: NSFetchedResultsController<B>?) -> Bool {
    lhs.core === rhs?.core
}

/// Whether they are different controllers.
///
/// OpenCoreData only.
public func !== <A, B>(lhs: NSFetchedResultsController<A>, rhs: NSFetchedResultsController<B>) -> Bool {
    lhs.core !== rhs.core
}

/// Whether they are different controllers.
///
/// OpenCoreData only.
public func !== <A, B>(lhs: NSFetchedResultsController<A>?, rhs: NSFetchedResultsController<B>) -> Bool {
    lhs?.core !== rhs.core
}

/// Whether they are different controllers.
///
/// OpenCoreData only.
public func !== <A, B>(lhs: NSFetchedResultsController<A>, rhs: NSFetchedResultsController<B>?) -> Bool {
    lhs.core !== rhs?.core
}
