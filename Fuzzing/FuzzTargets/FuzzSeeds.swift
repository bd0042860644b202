import Foundation

/// Files of our own making that inputs begin with.
enum FuzzSeeds {
    static let modelSource = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1">
            <entity name="Boat" representedClassName="Boat" syncable="YES" versionHashModifier="2" elementID="Ship">
                <attribute name="name" attributeType="String" defaultValueString="x" minValueString="1" maxValueString="9" regularExpressionString="^a+$"/>
                <attribute name="length" optional="YES" attributeType="Double" defaultValueString="1.5" usesScalarValueType="YES"/>
                <attribute name="crew" optional="YES" attributeType="Integer 16" minValueString="0" maxValueString="20"/>
                <attribute name="built" optional="YES" attributeType="Date" defaultDateTimeInterval="0"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="3.25"/>
                <attribute name="id" optional="YES" attributeType="UUID"/>
                <attribute name="site" optional="YES" attributeType="URI"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="T" customClassName="NSArray"/>
                <attribute name="upper" optional="YES" attributeType="String" derived="YES" derivationExpression="uppercase:(name)"/>
                <relationship name="port" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Port" inverseName="boats" inverseEntity="Port"/>
                <fetchedProperty name="near" optional="YES"><fetchRequest name="f" entity="Port" predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/><fetchIndexElement expression="length + 1" expressionType="double" type="Binary" order="descending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
                <userInfo><entry key="a" value="b"/></userInfo>
            </entity>
            <entity name="Ferry" parentEntity="Boat" isAbstract="YES"/>
            <entity name="Port">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="spot" optional="YES" attributeType="Composite" composite="Spot"/>
                <relationship name="boats" optional="YES" toMany="YES" minCount="1" maxCount="5" ordered="YES" deletionRule="Cascade" destinationEntity="Boat" inverseName="port" inverseEntity="Boat"/>
            </entity>
            <composite name="Spot"><attribute name="x" attributeType="Double"/></composite>
            <configuration name="Local"><memberEntity name="Port"/></configuration>
            <fetchRequest name="All" entity="Boat" predicateString="name LIKE 'a*' AND length &gt; $MIN" fetchLimit="5"/>
        </model>
        """

    static let mappingSource = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
            <databaseInfo><version>134481920</version><nextObjectID>110</nextObjectID><metadata></metadata></databaseInfo>
            <object type="XDDEVENTITYMAPPING" id="z102">
                <attribute name="mappingtypename" type="string">Undefined</attribute>
                <attribute name="mappingnumber" type="int16">2</attribute>
                <attribute name="sourcename" type="string">Boat</attribute>
                <attribute name="destinationname" type="string">Boat</attribute>
                <attribute name="sourcefilterpredicatestring" type="string">name != nil</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship>
                <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z107"></relationship>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z104"><attribute name="name" type="string">name</attribute>
                <attribute name="valueexpressiondata" type="binary">YnBsaXN0MDA=</attribute></object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z107">
                <attribute name="name" type="string">port</attribute>
                <attribute name="autogenerateexpression" type="bool">0</attribute>
                <attribute name="sourcekeypath" type="string">$source.port</attribute>
                <attribute name="sourcemappingname" type="string">BoatToBoat</attribute>
            </object>
            <object type="XDDEVMAPPINGMODEL" id="z109">
                <attribute name="sourcemodelpath" type="string">Fuzz.xcdatamodeld/One.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">Fuzz.xcdatamodeld/One.xcdatamodel</attribute>
            </object>
        </database>
        """

    /// An archive as a `.cdm` has it.
    static func mappingArchive() -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        NSKeyedArchiver.setClassName("NSMappingModel", for: ArchivedMapping.self)
        let property = ["NSPropertyMappingName": "name", "NSMappingName": "NameToName"]
        let entity: [String: Any] = [
            "NSMappingName": "BoatToBoat", "NSMappingType": 5, "NSSourceEntityName": "Boat",
            "NSDestinationEntityName": "Boat", "NSAttributeMappings": [property], "NSRelationshipMappings": [property],
        ]
        archiver.encode(ArchivedMapping(["NSEntityMappings": [entity]]), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        return archiver.encodedData
    }
}

/// An object that an archive holds under the name of another class.
class ArchivedFields: NSObject, NSCoding {
    private let fields: [String: Any]

    init(_ fields: [String: Any]) { self.fields = fields }

    required init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) { coder.encode(value, forKey: key) }
    }
}

/// A mapping model in an archive.
final class ArchivedMapping: ArchivedFields {}
