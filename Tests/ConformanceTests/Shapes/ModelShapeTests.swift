import CoreData
import XCTest

private class TracedModel: NSManagedObjectModel, @unchecked Sendable {
    override init() { super.init() }

    override var entities: [NSEntityDescription] {
        get { super.entities }
        set { super.entities = newValue }
    }
    override var entitiesByName: [String: NSEntityDescription] { super.entitiesByName }
    override var configurations: [String] { super.configurations }
    override var entityVersionHashesByName: [String: Data] { super.entityVersionHashesByName }
    override var versionChecksum: String { "checksum" }
    override var versionIdentifiers: Set<AnyHashable> {
        get { super.versionIdentifiers }
        set { super.versionIdentifiers = newValue }
    }
    override var localizationDictionary: [String: String]? {
        get { super.localizationDictionary }
        set { super.localizationDictionary = newValue }
    }
    override func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        super.entities(forConfigurationName: configuration)
    }
    override func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        super.setEntities(entities, forConfigurationName: configuration)
    }
    override func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?, forName name: String
    ) {
        super.setFetchRequestTemplate(fetchRequestTemplate, forName: name)
    }
    override func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSFetchRequestResult>? {
        super.fetchRequestTemplate(forName: name)
    }
    override func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        super.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }
    override class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? { Journal.model }
    override class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        super.mergedModel(from: bundles, forStoreMetadata: metadata)
    }
    override class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try super.checksumsForVersionedModel(at: modelURL)
    }
}

private class NamedEntity: NSEntityDescription, @unchecked Sendable {
    override var name: String? {
        get { super.name }
        set { super.name = newValue }
    }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var managedObjectClassName: String! {
        get { super.managedObjectClassName }
        set { super.managedObjectClassName = newValue }
    }
    override var superentity: NSEntityDescription? { super.superentity }
    override var versionHash: Data { super.versionHash }
    override var properties: [NSPropertyDescription] {
        get { super.properties }
        set { super.properties = newValue }
    }
    override func isKindOf(entity: NSEntityDescription) -> Bool { super.isKindOf(entity: entity) }
    override class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        super.entity(forEntityName: "Stop", in: context)
    }
    override class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        super.insertNewObject(forEntityName: "Stop", into: context)
    }
}

private class NamedAttribute: NSAttributeDescription, @unchecked Sendable {
    override var entity: NSEntityDescription { super.entity }
    override var name: String {
        get { super.name }
        set { super.name = newValue }
    }
    override var versionHash: Data { super.versionHash }
    override var defaultValue: Any? {
        get { super.defaultValue ?? "none" }
        set { super.defaultValue = newValue }
    }
}

private class NamedRelationship: NSRelationshipDescription, @unchecked Sendable {
    override var isToMany: Bool { super.isToMany }
    override var destinationEntity: NSEntityDescription? {
        get { super.destinationEntity }
        set { super.destinationEntity = newValue }
    }
    override var versionHash: Data { super.versionHash }
}

private class NamedIndex: NSFetchIndexDescription, @unchecked Sendable {
    override init(name: String, elements: [NSFetchIndexElementDescription]?) {
        super.init(name: name, elements: elements)
    }
    override var entity: NSEntityDescription? { super.entity }
}

private class NamedElement: NSFetchIndexElementDescription, @unchecked Sendable {
    override init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        super.init(property: property, collationType: collationType)
    }
    override var property: NSPropertyDescription? { super.property }
    override var propertyName: String? { super.propertyName }
    override var indexDescription: NSFetchIndexDescription? { super.indexDescription }
}

private protocol Versioned {
    var versionHash: Data { get }
    var versionHashModifier: String? { get set }
    var renamingIdentifier: String? { get set }
}

extension NSEntityDescription: Versioned {}
extension NSPropertyDescription: Versioned {}

private protocol EntityFinding {
    static func entity(forEntityName entityName: String, in context: NSManagedObjectContext) -> NSEntityDescription?
}

extension NSEntityDescription: EntityFinding {}

final class ModelShapeTests: XCTestCase {
    private func hashes<Part: Versioned>(_ parts: [Part]) -> Set<Data> { Set(parts.map(\.versionHash)) }

    func testOverridesAreCalled() throws {
        let model = TracedModel()
        let entity = NamedEntity()
        entity.name = "Note"
        let text = NamedAttribute()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let next = NamedRelationship()
        next.name = "next"
        next.destinationEntity = entity
        next.maxCount = 1
        entity.properties = [text, next]
        let index = NamedIndex(name: "byText", elements: [NamedElement(property: text, collationType: .binary)])
        entity.indexes = [index]
        model.entities = [entity]
        XCTAssertEqual(model.versionChecksum, "checksum")
        XCTAssertTrue(entity.managedObjectModel === model)
        XCTAssertTrue(text.entity === entity)
        XCTAssertEqual(text.defaultValue as? String, "none")
        XCTAssertTrue(index.entity === entity)
        XCTAssertEqual(index.elements.first?.propertyName, "text")
        XCTAssertEqual(hashes(entity.properties).count, 2)
        let type: NSManagedObjectModel.Type = TracedModel.self
        XCTAssertTrue(type.mergedModel(from: nil) === Journal.model)
    }

    func testClassFunctionsThroughMetatypes() {
        let context = Journal.inMemoryContainer().viewContext
        let type: NSEntityDescription.Type = NamedEntity.self
        XCTAssertEqual(type.entity(forEntityName: "Trip", in: context)?.name, "Stop")
        XCTAssertEqual(type.insertNewObject(forEntityName: "Trip", into: context).entity.name, "Stop")
        let finding: any EntityFinding.Type = NSEntityDescription.self
        XCTAssertEqual(finding.entity(forEntityName: "Trip", in: context)?.name, "Trip")
        let merge: ([Bundle]?) -> NSManagedObjectModel? = NSManagedObjectModel.mergedModel(from:)
        XCTAssertNotNil(merge([]))
    }
}
