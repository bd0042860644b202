import Foundation

/// The tables in which CloudKit's mirroring keeps its account of a store. Names and columns are those that public
/// listings of such stores show.
public enum MirroredStore {
    /// The number of the entity that a row of the records has itself.
    private static let recordEntity = 17012

    private static let definitions = """
        CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYID INTEGER,
            ZENTITYPK INTEGER, ZLASTEXPORTEDTRANSACTIONNUMBER INTEGER, ZNEEDSCLOUDDELETE INTEGER,
            ZNEEDSLOCALDELETE INTEGER, ZNEEDSUPLOAD INTEGER, ZPENDINGEXPORTCHANGETYPENUMBER INTEGER,
            ZPENDINGEXPORTTRANSACTIONNUMBER INTEGER, ZENCODEDRECORDASSET INTEGER, ZRECORDZONE INTEGER,
            ZSYSTEMFIELDSASSET INTEGER, ZCKRECORDNAME VARCHAR);
        CREATE UNIQUE INDEX Z_NSCKRecordMetadata_UNIQUE_entityId_entityPK
            ON ANSCKRECORDMETADATA (ZENTITYID COLLATE BINARY ASC, ZENTITYPK COLLATE BINARY ASC);
        CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZBOOLVALUENUM INTEGER, ZINTEGERVALUE INTEGER, ZDATEVALUE TIMESTAMP, ZKEY VARCHAR, ZSTRINGVALUE VARCHAR,
            ZTRANSFORMEDVALUE BLOB);
        CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCLOUDKITEVENTTYPE INTEGER,
            ZSUCCEEDED INTEGER, ZERRORDOMAIN VARCHAR, ZERRORCODE INTEGER, ZSTARTEDAT TIMESTAMP, ZENDEDAT TIMESTAMP);
        INSERT INTO Z_PRIMARYKEY VALUES (17009, 'NSCKMetadataEntry', 0, 1), (17012, 'NSCKRecordMetadata', 0, 0);
        INSERT INTO ANSCKMETADATAENTRY (Z_ENT, Z_OPT, ZTRANSFORMEDVALUE, ZKEY)
            VALUES (17009, 1, x'0102', 'PFCloudKitMetadataModelVersionHashesKey');
        INSERT INTO ANSCKEVENT (ZCLOUDKITEVENTTYPE, ZSUCCEEDED, ZSTARTEDAT) VALUES (2, 1, 700000000.5);
        """

    /// Makes the tables in a store that no coordinator has open. Each row of an entity's table becomes a record, and
    /// the first record has yet to be uploaded. Two records of each entity have lost their rows, and have yet to be
    /// deleted.
    ///
    /// - Returns: The numbers of records, pending uploads and pending deletions.
    @discardableResult
    public static func mirror(_ store: URL) throws -> (records: Int, uploads: Int, deletions: Int) {
        let database = try RawDatabase(store)
        try database.execute(definitions)
        let entities = try database.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
        for entity in entities {
            guard let number = entity[0].int, case .text(let name) = entity[1] else { continue }
            let lost = "SELECT \(number) AS e, 9000001 AS k UNION ALL SELECT \(number), 9000002"
            let table = "Z\(name.uppercased())"
            if database.tables.contains(table) {
                try database.execute(
                    """
                    INSERT INTO ANSCKRECORDMETADATA (Z_ENT, Z_OPT, ZENTITYID, ZENTITYPK, ZNEEDSUPLOAD, \
                    ZNEEDSCLOUDDELETE, ZCKRECORDNAME) SELECT \(recordEntity), 1, Z_ENT, Z_PK, Z_PK = 1, 0, \
                    '\(name) ' || Z_PK FROM \(table)
                    """)
            }
            try database.execute(
                """
                INSERT INTO ANSCKRECORDMETADATA (Z_ENT, Z_OPT, ZENTITYID, ZENTITYPK, ZNEEDSUPLOAD, ZNEEDSCLOUDDELETE, \
                ZCKRECORDNAME) SELECT \(recordEntity), 1, e, k, 0, 1, '\(name) ' || k FROM (\(lost))
                """)
        }
        try database.execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT MAX(Z_PK) FROM ANSCKRECORDMETADATA) WHERE Z_ENT = \(recordEntity)")
        func count(_ condition: String) throws -> Int {
            Int(try database.integer("SELECT COUNT(*) FROM ANSCKRECORDMETADATA WHERE \(condition)") ?? 0)
        }
        return (try count("1"), try count("ZNEEDSUPLOAD = 1"), try count("ZNEEDSCLOUDDELETE = 1"))
    }

    /// Everything in these tables, their definitions and their counters as text.
    public static func account(of store: URL) throws -> [String] {
        let database = try RawDatabase(store)
        var lines = try database.rows(
            "SELECT type, name, sql FROM sqlite_master WHERE tbl_name LIKE 'ANSCK%' ORDER BY name"
        ).map { "\($0)" }
        for table in database.tables.sorted() where table.hasPrefix("ANSCK") {
            let values = try database.columns(of: table).map { "quote(\($0))" }.joined(separator: " || ',' || ")
            lines += try database.column("SELECT \(values) FROM \(table) ORDER BY Z_PK").map { "\(table) \($0)" }
        }
        return try lines + database.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT >= 17000 ORDER BY 1").map { "\($0)" }
    }
}
