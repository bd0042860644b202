import CoreData
import XCTest

private class TracedManager: NSMigrationManager {
    override var sourceModel: NSManagedObjectModel { super.sourceModel }
    override var destinationModel: NSManagedObjectModel { super.destinationModel }
    override var sourceContext: NSManagedObjectContext { super.sourceContext }
    override var destinationContext: NSManagedObjectContext { super.destinationContext }
    override var mappingModel: NSMappingModel { super.mappingModel }
    override var currentEntityMapping: NSEntityMapping { super.currentEntityMapping }
    override var migrationProgress: Float { super.migrationProgress }
    override var usesStoreSpecificMigrationManager: Bool {
        get { false }
        set { super.usesStoreSpecificMigrationManager = newValue }
    }
    override var userInfo: [AnyHashable: Any]? {
        get { super.userInfo }
        set { super.userInfo = newValue }
    }
    override func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try super.migrateStore(
            from: sourceURL, sourceType: sStoreType, options: sOptions, with: mappings, toDestinationURL: dURL,
            destinationType: dStoreType, destinationOptions: dOptions)
    }
    override func reset() { super.reset() }
    override func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        super.sourceEntity(for: mEntity)
    }
    override func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        super.destinationEntity(for: mEntity)
    }
    override func cancelMigrationWithError(_ error: Error) { super.cancelMigrationWithError(error) }
}

private class TracedMapping: NSMappingModel {
    override var entityMappings: [NSEntityMapping]! {
        get { super.entityMappings }
        set { super.entityMappings = newValue }
    }
    override var entityMappingsByName: [String: NSEntityMapping] { super.entityMappingsByName }
    override class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try super.inferredMappingModel(forSourceModel: sourceModel, destinationModel: destinationModel)
    }
}

private class TracedEntityMapping: NSEntityMapping {
    override var name: String! {
        get { super.name }
        set { super.name = newValue }
    }
    override var mappingType: NSEntityMappingType {
        get { super.mappingType }
        set { super.mappingType = newValue }
    }
    override var sourceExpression: NSExpression? {
        get { super.sourceExpression }
        set { super.sourceExpression = newValue }
    }
}

private class TracedPropertyMapping: NSPropertyMapping {
    override var valueExpression: NSExpression? {
        get { super.valueExpression }
        set { super.valueExpression = newValue }
    }
}

private class TracedPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        try super.begin(mapping, with: manager)
    }
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try super.endInstanceCreation(forMapping: mapping, manager: manager)
    }
    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try super.end(mapping, manager: manager)
    }
}

private protocol Migrating {
    var migrationProgress: Float { get }
    func cancelMigrationWithError(_ error: Error)
}

extension NSMigrationManager: Migrating {}

final class MigrationShapeTests: XCTestCase {
    private func progress<Manager: Migrating>(of manager: Manager) -> Float { manager.migrationProgress }

    func testSubclasses() throws {
        let type: NSMigrationManager.Type = TracedManager.self
        let manager = type.init(sourceModel: Journal.model, destinationModel: Journal.model)
        XCTAssertFalse(manager.usesStoreSpecificMigrationManager)
        XCTAssertEqual(progress(of: manager), 0)
        let mappings: NSMappingModel.Type = TracedMapping.self
        let inferred = try mappings.inferredMappingModel(
            forSourceModel: Journal.model, destinationModel: Journal.model)
        XCTAssertEqual(inferred.entityMappings.count, Journal.model.entities.count)
        let entity = TracedEntityMapping()
        entity.name = "Trip"
        let property = TracedPropertyMapping()
        property.name = "title"
        property.valueExpression = NSExpression(format: "$source.title")
        entity.attributeMappings = [property]
        let model = TracedMapping()
        model.entityMappings = [entity]
        XCTAssertTrue(model.entityMappingsByName["Trip"] === entity)
        XCTAssertTrue((TracedPolicy() as NSEntityMigrationPolicy) is TracedPolicy)
    }
}
