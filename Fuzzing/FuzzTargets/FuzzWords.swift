/// Words that inputs are likely to have in them. A fuzzer that makes them of single bytes needs hours.
enum FuzzWords {
    static let xml = [
        "<?", "?>", "<?x?>", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE ", "<!ENTITY ", "<!ATTLIST ", "<!ELEMENT ",
        "<!NOTATION ", " SYSTEM \"", " PUBLIC \"", " NDATA ", " #IMPLIED", " #REQUIRED", " #FIXED ", " CDATA ", "[",
        "]>", "%e;",
        "&lt;", "&amp;", "&quot;", "&#0;", "&#10;", "&#x1F600;", "&#xD800;", "&e;", "xmlns=\"", "xmlns:a=\"",
        "xml:lang",
        " encoding=\"UTF-7\"", " encoding=\"UTF-16\"", " encoding=\"ISO-8859-1\"", " standalone=\"yes\"", "\u{FEFF}",
        "/>", "</",
    ]

    static let modelSources = [
        "<entity name=\"", "<attribute name=\"", "<relationship name=\"", "<fetchedProperty name=\"",
        "<fetchIndex name=\"",
        "<fetchIndexElement ", "<composite name=\"", "<configuration name=\"", "<memberEntity name=\"",
        "<fetchRequest name=\"",
        "<uniquenessConstraint>", "<constraint value=\"", "<entry key=\"", "attributeType=\"", "Transformable",
        "Composite",
        "Integer 64", "Decimal", "Boolean", "Date", "UUID", "URI", "Binary", "destinationEntity=\"", "inverseName=\"",
        "parentEntity=\"", "predicateString=\"", "expression=\"", "derivationExpression=\"",
        "regularExpressionString=\"",
        "defaultValueString=\"", "minValueString=\"", "maxValueString=\"", "defaultDateTimeInterval=\"",
        "deletionRule=\"",
        "elementID=\"", "renamingIdentifier=\"", "versionHashModifier=\"", "derived=\"YES\"", "ordered=\"YES\"",
        "toMany=\"YES\"",
        "9223372036854775807", "-9223372036854775808", "1e999", "nan", "-0", "Boat", "Port", "Spot", "name",
    ]

    static let xmlStores = [
        "<database>", "<databaseInfo>", "<metadata>", "<plist version=\"1.0\">", "<dict>", "<key>", "<string>",
        "<integer>",
        "<real>", "<true/>", "<date>", "<data>", "<array>", "<object type=\"", " id=\"z102\"", "<attribute name=\"",
        "type=\"string\"", "type=\"binary\"", "type=\"int64\"", "type=\"decimal\"", "type=\"date\"",
        "type=\"transformable\"",
        "<relationship name=\"", " destination=\"", " idrefs=\"", "NSStoreModelVersionHashes", "NSStoreUUID",
        "NSPersistenceFrameworkVersion", "z9223372036854775807", "PERSON", "PLACE", "CHILD", "BEING", "1e999", "nan",
    ]

    static let predicates = [
        "SUBQUERY(", "TERNARY(", "FUNCTION(", "CAST(", "FETCH(", "ANY ", "ALL ", "NONE ", "SOME ", " BETWEEN ",
        " CONTAINS[cd] ",
        " LIKE ", " MATCHES ", " BEGINSWITH ", " ENDSWITH ", " IN ", " AND ", " OR ", "NOT ", "TRUEPREDICATE",
        "FALSEPREDICATE",
        "@count", "@sum.", "@max.", "@distinctUnionOfObjects.", "[FIRST]", "[LAST]", "[SIZE]", "SELF", "nil", "NULL",
        "%@", "%K",
        "%d", "%%", "$x", "0x", "**", "{", "}", "'", "\"", "\\", "\\u0041", "#", "average(", "noindex:(", "now()",
        "1e999",
        "9223372036854775808", "==[c]", "<>", "!=", "=>", "=<", "&&", "||", "!",
    ]

    static let json = [
        "{", "}", "[", "]", ":", ",", "null", "true", "false", "\"", "\\u0000", "\\ud800", "\\\"", "1e999", "-0",
        "9223372036854775808", "0.1e-400", "[[[[[[[[",
    ]
}
