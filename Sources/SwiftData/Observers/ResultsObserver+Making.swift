import Foundation

extension ResultsObserver where SectionName == Never {
    /// Creates an observer of a descriptor, and fetches.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The condition and the order; all models unless given.
    ///   - modelContext: The context of the models.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, nil, in: modelContext, isolation: isolation)
    }

    /// Creates an observer of a descriptor, and fetches.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The condition and the order; all models unless given.
    ///   - modelContainer: The container. The observer makes a context of its own.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, nil, in: ModelContext(modelContainer), isolation: isolation)
    }

    /// Creates an observer of a condition and an order, and fetches.
    ///
    /// - Parameters:
    ///   - filterBy: The condition; nil for all models.
    ///   - sortBy: The order; nil for none.
    ///   - modelContext: The context of the models.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, in: modelContext,
            isolation: isolation)
    }

    /// Creates an observer of a condition and an order, and fetches.
    ///
    /// - Parameters:
    ///   - filterBy: The condition; nil for all models.
    ///   - sortBy: The order; nil for none.
    ///   - modelContainer: The container. The observer makes a context of its own.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, in: ModelContext(modelContainer),
            isolation: isolation)
    }
}

extension ResultsObserver where SectionName == String {
    /// Creates an observer with sections of a descriptor, and fetches.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The condition and the order; all models unless given.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContext: The context of the models.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, Sectioning(sectionBy), in: modelContext, isolation: isolation)
    }

    /// Creates an observer with sections of a descriptor, and fetches.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The condition and the order; all models unless given.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContainer: The container. The observer makes a context of its own.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, Sectioning(sectionBy), in: ModelContext(modelContainer), isolation: isolation)
    }

    /// Creates an observer with sections of a descriptor, and fetches.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The condition and the order; all models unless given.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContext: The context of the models.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, Sectioning(sectionBy), in: modelContext, isolation: isolation)
    }

    /// Creates an observer with sections of a descriptor, and fetches.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The condition and the order; all models unless given.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContainer: The container. The observer makes a context of its own.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, Sectioning(sectionBy), in: ModelContext(modelContainer), isolation: isolation)
    }

    /// Creates an observer with sections of a condition and an order, and fetches.
    ///
    /// - Parameters:
    ///   - filterBy: The condition; nil for all models.
    ///   - sortBy: The order; nil for none.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContext: The context of the models.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), in: modelContext,
            isolation: isolation)
    }

    /// Creates an observer with sections of a condition and an order, and fetches.
    ///
    /// - Parameters:
    ///   - filterBy: The condition; nil for all models.
    ///   - sortBy: The order; nil for none.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContainer: The container. The observer makes a context of its own.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy),
            in: ModelContext(modelContainer),
            isolation: isolation)
    }

    /// Creates an observer with sections of a condition and an order, and fetches.
    ///
    /// - Parameters:
    ///   - filterBy: The condition; nil for all models.
    ///   - sortBy: The order; nil for none.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContext: The context of the models.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), in: modelContext,
            isolation: isolation)
    }

    /// Creates an observer with sections of a condition and an order, and fetches.
    ///
    /// - Parameters:
    ///   - filterBy: The condition; nil for all models.
    ///   - sortBy: The order; nil for none.
    ///   - sectionBy: The property by which the models are divided. The order by it comes first.
    ///   - modelContainer: The container. The observer makes a context of its own.
    ///   - isolation: The isolation that uses the observer.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy),
            in: ModelContext(modelContainer),
            isolation: isolation)
    }
}
