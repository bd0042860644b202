// Implementation notes: Observers.
//
// - Results that the store decides as a whole are followed by a fetched-results controller, so a change costs what it
//   costs there (`FollowedResults`). Other results are fetched again when they are read after a change of their context
//   (`RepeatedResults`).
// - A context without a queue learns of other contexts' commits when it is used. `CommitListener` waits for commits and
//   lets the context take them over, in the isolation in which the observer was made.
// - Reading results first takes over what has been committed, and processes the changes of the context. So results are
//   those of a fetch at that moment.

import CoreData
import Foundation
import Observation

/// The models that a fetch finds, followed as they change.
///
/// The results follow the changes of the context, other contexts' saves, and those of other processes. `results` and
/// `sections` are observable. An observer belongs to its context, and is used where that is used. Unsaved changes of a
/// context without a queue are signalled when the context processes them: at a fetch, a save, or
/// ``ModelContext/processPendingChanges()``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver)
public final class ResultsObserver<Element: PersistentModel, SectionName: Hashable>: Observable {
    /// The context of the models.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/modelcontext)
    public let modelContext: ModelContext
    /// The property by which the models are divided into sections; nil without sections.
    public let sectionBy: PartialKeyPath<Element>?
    private let sectioning: Sectioning<Element, SectionName>?
    private let registrar = ObservationRegistrar()
    private var descriptor: FetchDescriptor<Element>
    private var source: any ResultsSource<Element>
    private var failure: (any Error)?
    private var knownSections: ResultsSectionCollection<Element, SectionName>?
    private var listener: CommitListener?

    init(
        _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, SectionName>?,
        in context: ModelContext, isolation: isolated (any Actor)?
    ) throws {
        modelContext = context
        self.sectioning = sectioning
        sectionBy = sectioning?.keyPath
        self.descriptor = descriptor
        if let sectioning { self.descriptor.sortBy = sectioning.prepended(to: descriptor.sortBy) }
        source = try context.resultsSource(self.descriptor, sectionedBy: sectioning?.keyPath)
        source.events = ResultsEvents(
            willChange: { [weak self] in self?.resultsWillChange() },
            didChange: { [weak self] in self?.resultsDidChange() })
        listen(isolation: isolation)
    }

    private func listen(isolation: isolated (any Actor)?) {
        let observer = UncheckedReference(self)
        listener = CommitListener(of: modelContext, isolation: isolation) {
            guard let observer = observer.object else { return }
            if $0 {
                observer.modelContext.takeOverCommits()
            } else {
                // The context belongs to the reader, who takes the commit over.
                observer.resultsWillChange()
                observer.registrar.didSet(observer, keyPath: \.results)
                observer.registrar.didSet(observer, keyPath: \.sections)
            }
        }
    }

    private func resultsWillChange() {
        registrar.willSet(self, keyPath: \.results)
        registrar.willSet(self, keyPath: \.sections)
    }

    private func resultsDidChange() {
        knownSections = nil
        registrar.didSet(self, keyPath: \.results)
        registrar.didSet(self, keyPath: \.sections)
    }

    // MARK: Results

    /// The models in the order of the descriptor, with the context's unsaved changes if the descriptor includes them.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/results)
    public var results: FetchResultsCollection<Element> {
        registrar.access(self, keyPath: \.results)
        return present { source.models }
    }

    /// The sections in the order of their first models; nil without sections. The name of a section without a value
    /// is "".
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/sections)
    public var sections: ResultsSectionCollection<Element, SectionName>? {
        registrar.access(self, keyPath: \.sections)
        guard let sectioning else { return nil }
        return present {
            if let knownSections { return knownSections }
            let new = source.sections(named: sectioning.text).map { ($0.name, $0.models) }
            let sections = ResultsSectionCollection(new.map { ResultsSection(sectioning.name($0), $1) })
            knownSections = sections
            return sections
        }
    }

    /// The error of the last fetch; nil if it succeeded. Results stay those of the last fetch that did.
    ///
    /// OpenCoreData only.
    public var fetchError: (any Error)? {
        registrar.access(self, keyPath: \.fetchError)
        return failure
    }

    /// Reads results, after everything has come to them that was committed or changed.
    private func present<Value>(_ read: () -> Value) -> Value {
        modelContext.takeOverCommits()
        do {
            if try source.renew() { knownSections = nil }
            note(nil)
        } catch {
            note(error)
        }
        return read()
    }

    private func note(_ error: (any Error)?) {
        if failure == nil, error == nil { return }
        registrar.withMutation(of: self, keyPath: \.fetchError) { failure = error }
    }

    /// Returns the model at a place in the sections.
    ///
    /// - Parameter indexPath: The number of the section, and the number of the model in it.
    /// - Returns: The model; nil without sections, and for a place that is not there.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/element(at:))
    public func element(at indexPath: IndexPath) -> Element? {
        guard indexPath.count == 2, let sections, sections.indices.contains(indexPath[0]) else { return nil }
        let section = sections[indexPath[0]]
        return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
    }

    /// Returns the place of a model in the sections.
    ///
    /// - Parameter element: The model.
    /// - Returns: The number of the section, and the number of the model in it; nil without sections, and for another
    ///   model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/indexpath(for:))
    public func indexPath(for element: Element) -> IndexPath? {
        guard let sections, let place = source.place(of: element) else { return nil }
        var first = 0
        for (number, section) in sections.enumerated() {
            if place < first + section.count, section[place - first] == element {
                return IndexPath(indexes: [number, place - first])
            }
            first += section.count
        }
        // Models whose names are equal in the order but differ lie apart in the results.
        for (number, section) in sections.enumerated() {
            if let place = section.firstIndex(of: element) { return IndexPath(indexes: [number, place]) }
        }
        return nil
    }

    // MARK: The descriptor

    /// What the observer fetches, and in which order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/fetchdescriptor)
    public var fetchDescriptor: FetchDescriptor<Element> {
        registrar.access(self, keyPath: \.fetchDescriptor)
        return descriptor
    }

    /// The condition; nil for all models. If a new one cannot be fetched, ``fetchError`` says why, and the results
    /// stay.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/filterby)
    public var filterBy: Predicate<Element>? {
        get { fetchDescriptor.predicate }
        set { change { $0.predicate = newValue } }
    }

    /// The order. With sections the order by their property comes first, and is added where it is missing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultsobserver/sortby)
    public var sortBy: [SortDescriptor<Element>] {
        get { fetchDescriptor.sortBy }
        set { change { $0.sortBy = sectioning?.prepended(to: newValue) ?? newValue } }
    }

    private func change(_ change: (inout FetchDescriptor<Element>) -> Void) {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { change(&descriptor) }
        do {
            let new = try modelContext.resultsSource(descriptor, sectionedBy: sectionBy)
            note(nil)
            resultsWillChange()
            new.events = source.events
            source = new
            resultsDidChange()
        } catch {
            note(error)
        }
    }
}

@available(*, unavailable)
extension ResultsObserver: Sendable {}

/// How an observer divides its models.
struct Sectioning<Element: PersistentModel, SectionName: Hashable> {
    let keyPath: PartialKeyPath<Element>
    /// The order that keeps sections together. An array of one, because an optimised structure around a sort descriptor
    /// refers to a symbol that Foundation does not export.
    let order: [SortDescriptor<Element>]
    /// The name as text.
    let text: (Element) -> String
    /// The name of a text.
    let name: (String) -> SectionName

    /// An order that begins with that of the sections, in either direction.
    func prepended(to orders: [SortDescriptor<Element>]) -> [SortDescriptor<Element>] {
        if let first = orders.first, first.keyPath == order.first?.keyPath { return orders }
        return order + orders
    }
}

extension Sectioning where SectionName == String {
    init(_ keyPath: KeyPath<Element, String>) {
        self.init(
            keyPath: keyPath, order: [SortDescriptor(SortKeys.sendable(keyPath))], text: { $0[keyPath: keyPath] },
            name: { $0 })
    }

    init(_ keyPath: KeyPath<Element, String?>) {
        self.init(
            keyPath: keyPath, order: [SortDescriptor(SortKeys.sendable(keyPath))], text: { $0[keyPath: keyPath] ?? "" },
            name: { $0 })
    }
}
