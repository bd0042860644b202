import CoreData

/// Two versions of a model, and the mapping model that makes two entities of one: an address of each person.
public enum SplitModel {
    public static let older = """
        entity Person
          name string
          visits int16
          street string
          city string! = nowhere
        """
    public static let newer = """
        entity Person
          name string
          visits int16
          address one Address.person
        entity Address
          street string
          city string! = nowhere
          note string
          person one Person.address
        """

    public static func mapping() -> NSMappingModel {
        let mapping = NSMappingModel()
        mapping.entityMappings = [
            entity("Person", ["name", "visits"], "address", "PersonToAddress"),
            entity("Address", ["street", "city"], "person", "PersonToPerson"),
        ]
        return mapping
    }

    /// A mapping of people to an entity, with attributes that it takes over and one relationship, which leads to what
    /// another mapping makes.
    public static func entity(
        _ name: String, _ attributes: [String], _ link: String, _ other: String
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "PersonTo\(name)"
        mapping.mappingType = .transformEntityMappingType
        (mapping.sourceEntityName, mapping.destinationEntityName) = ("Person", name)
        mapping.sourceExpression = NSExpression(
            format: """
                FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Person", \
                "TRUEPREDICATE"), $manager.sourceContext, NO)
                """)
        mapping.attributeMappings = attributes.map { property($0, "$source.\($0)") }
        let linking = "destinationInstancesForEntityMappingNamed:sourceInstances:"
        mapping.relationshipMappings = [
            property(link, "FUNCTION($manager, \"\(linking)\", \"\(other)\", $source)")
        ]
        return mapping
    }

    private static func property(_ name: String, _ expression: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = NSExpression(format: expression)
        return mapping
    }
}
