import Foundation

/// The models of an observer whose section property has one value.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultssection)
public struct ResultsSection<Element: PersistentModel, SectionName: Hashable>: RandomAccessCollection, Identifiable {
    /// The name.
    public let name: SectionName
    private let models: FetchResultsCollection<Element>

    init(_ name: SectionName, _ models: FetchResultsCollection<Element>) {
        self.name = name
        self.models = models
    }

    /// The name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultssection/id)
    public var id: SectionName { name }
    /// The place of the first model.
    public var startIndex: Int { models.startIndex }
    /// The place behind the last model.
    public var endIndex: Int { models.endIndex }
    /// The model at a place.
    public subscript(position: Int) -> Element { models[position] }
}

@available(*, unavailable)
extension ResultsSection: Sendable {}

/// The sections of an observer's results.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultssectioncollection)
public struct ResultsSectionCollection<Element: PersistentModel, SectionName: Hashable>: RandomAccessCollection {
    private let sections: [ResultsSection<Element, SectionName>]
    private let places: [SectionName: Int]

    init(_ sections: [ResultsSection<Element, SectionName>]) {
        self.sections = sections
        places = Dictionary(sections.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The place of the first section.
    public var startIndex: Int { 0 }
    /// The place behind the last section.
    public var endIndex: Int { sections.count }
    /// The section at a place.
    public subscript(position: Int) -> ResultsSection<Element, SectionName> { sections[position] }

    /// The names of the sections in order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/resultssectioncollection/sectionnames)
    public var sectionNames: [SectionName] { sections.map(\.name) }

    /// Returns whether there is a section of a name.
    ///
    /// - Parameter sectionName: The name.
    /// - Returns: Whether it is there.
    public func contains(sectionName: SectionName) -> Bool { places[sectionName] != nil }

    /// Returns the place of the section of a name.
    ///
    /// - Parameter sectionName: The name.
    /// - Returns: The place; nil if there is none.
    public func index(ofSectionNamed sectionName: SectionName) -> Int? { places[sectionName] }

    /// The section of a name; nil if there is none.
    ///
    /// - Parameter sectionName: The name.
    public subscript(sectionName sectionName: SectionName) -> ResultsSection<Element, SectionName>? {
        places[sectionName].map { sections[$0] }
    }
}

@available(*, unavailable)
extension ResultsSectionCollection: Sendable {}
