import CoreData

/// A model of special attributes: parcels with composite, derived and fetched properties, and the items in them.
public enum ParcelModel {
    private static let transformers: Void = {
        ValueTransformer.setValueTransformer(ShadeTransformer(), forName: ShadeTransformer.name)
        ValueTransformer.setValueTransformer(ReversingTransformer(), forName: ReversingTransformer.name)
    }()

    /// A fresh, equal model at every call.
    public static func make() -> NSManagedObjectModel {
        transformers
        let (parcel, item) = (SampleModels.entity("Parcel"), SampleModels.entity("Item"))
        let items = SampleModels.relationship("items", to: item, maxCount: 0)
        let owner = SampleModels.relationship("parcel", to: parcel, maxCount: 1)
        items.inverseRelationship = owner
        owner.inverseRelationship = items

        let content = SampleModels.attribute("content", .binaryDataAttributeType)
        content.allowsExternalBinaryDataStorage = true
        parcel.properties = [
            SampleModels.attribute("name", .stringAttributeType),
            SampleModels.attribute("price", .decimalAttributeType),
            SampleModels.attribute("code", .UUIDAttributeType), SampleModels.attribute("link", .URIAttributeType),
            content, size(named: "size"), size(named: "label"),
            transformable("shade", ShadeTransformer.name), transformable("secret", ReversingTransformer.name),
            transformable("list", nil), transformable("lost", NSValueTransformerName("Nowhere registered")),
            derived("upper", .stringAttributeType, "uppercase:(name)"),
            derived("number", .integer64AttributeType, "items.@count"),
            derived("weight", .doubleAttributeType, "items.weight.@sum"), items,
            fetched("namesakes", "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE", of: "Parcel"),
            fetched("heavy", "parcel == $FETCH_SOURCE AND weight > $FETCHED_PROPERTY.userInfo.limit", of: "Item"),
        ]
        item.properties = [SampleModels.attribute("weight", .doubleAttributeType), owner]
        let model = NSManagedObjectModel()
        model.entities = [parcel, item]
        return model
    }

    private static func size(named name: String) -> NSCompositeAttributeDescription {
        let unit = NSCompositeAttributeDescription()
        unit.name = "unit"
        unit.elements = [SampleModels.attribute("name", .stringAttributeType)]
        let size = NSCompositeAttributeDescription()
        size.name = name
        size.elements = [
            SampleModels.attribute("width", .doubleAttributeType),
            SampleModels.attribute("height", .doubleAttributeType),
            unit,
        ]
        return size
    }

    private static func transformable(
        _ name: String, _ transformer: NSValueTransformerName?
    ) -> NSAttributeDescription {
        let attribute = SampleModels.attribute(name, .transformableAttributeType)
        attribute.valueTransformerName = transformer?.rawValue
        return attribute
    }

    private static func derived(
        _ name: String, _ type: NSAttributeType, _ format: String
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: format)
        return attribute
    }

    private static func fetched(_ name: String, _ format: String, of entity: String) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        property.name = name
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: entity == "Item" ? "weight" : "code", ascending: true)]
        property.fetchRequest = request
        property.userInfo = ["limit": 5]
        return property
    }
}
