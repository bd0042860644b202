import CoreData
import Foundation

extension SchemaMigrationPlan {
    /// Writes the versions of the plan to a text file, with which `coredata model check` compares later versions.
    ///
    /// OpenCoreData only. Commit the file with the code. The versions have the names of their types, and the last one
    /// is the current version. The file says from which versions handlers lead to it: the check leaves these migrations
    /// to the tests of the plan. A file whose content stays is not written. Any thread may call the function.
    ///
    /// - Parameter url: The file, with the extension `modeldescription`.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan that contradicts itself and for classes that no
    ///   store can keep, and the error of writing the file.
    public static func writeDescription(to url: URL) throws {
        let plan = try TrialPlan(self)
        let versions = try plan.names.compactMap { name in
            try plan.types[name].map { (name: name, model: try Schema(versionedSchema: $0).describedModel()) }
        }
        let handled = plan.names.filter { plan.runsHandlers($0, plan.names.last ?? "") }
        try ModelDescription.write(ModelDescription.text(of: versions, withHandlersFrom: handled), to: url)
    }
}

extension Schema {
    /// Writes the classes to a text file, with which `coredata model check` compares later ones. For programs without a
    /// plan, whose changes are inferred.
    ///
    /// OpenCoreData only. As ``SchemaMigrationPlan/writeDescription(to:)``, with one version, which has the number of
    /// the schema.
    ///
    /// - Parameter url: The file, with the extension `modeldescription`.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` for classes that no store can keep, and the error of writing
    ///   the file.
    public func writeDescription(to url: URL) throws {
        try ModelDescription.write(ModelDescription.text(of: [(version.description, try describedModel())]), to: url)
    }

    /// The model for a description.
    fileprivate func describedModel() throws -> NSManagedObjectModel {
        do {
            if let fault { throw fault }
            let model = try ModelBuilder(schema: self).model()
            guard isOfClasses else { return model }
            let described = model.withoutNewDefaults(
                try ModelBuilder(schema: Schema(types, version: version)).model())
            noteDefaults(in: described)
            return described
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because(nil, error)
        }
    }
}

extension Schema {
    /// Notes the attributes whose initial values a text cannot have, and which a migration fills all the same.
    private func noteDefaults(in model: NSManagedObjectModel) {
        for (name, entity) in model.entitiesByName {
            for (key, attribute) in entity.attributesByName
            where [.transformableAttributeType, .binaryDataAttributeType, .compositeAttributeType].contains(
                attribute.attributeType)
            {
                guard entitiesByName[name]?.attributesByName[key]?.defaultValue != nil else { continue }
                // `ModelGate` knows the key.
                attribute.userInfo = (attribute.userInfo ?? [:]).merging(["hasDefaultInCode": "YES"]) { $1 }
            }
        }
    }
}

extension NSManagedObjectModel {
    /// A copy in which an initial value that each schema makes anew, such as `UUID()`, is a constant. No hash has it.
    fileprivate func withoutNewDefaults(_ again: NSManagedObjectModel) -> NSManagedObjectModel {
        guard let described = copy() as? NSManagedObjectModel else { return self }
        for (name, entity) in described.entitiesByName {
            let others = again.entitiesByName[name]?.attributesByName ?? [:]
            for (key, attribute) in entity.attributesByName {
                let (one, other) = (attribute.defaultValue, others[key]?.defaultValue)
                if (one as? AnyHashable) == (other as? AnyHashable) { continue }
                attribute.defaultValue = Self.constant(of: attribute.attributeType)
            }
        }
        return described
    }

    private static func constant(of type: NSAttributeType) -> Any? {
        switch type {
        case .UUIDAttributeType: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0)
        case .stringAttributeType: ""
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            NSNumber(value: 0)
        default: nil
        }
    }
}
