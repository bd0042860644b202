#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "coredata model from the tables of a PostgreSQL database, and a store over them",
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ModelFromServerTests {
    /// A schema of tables with rows, and what is made of it.
    struct Schema: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: String
        var arguments: [String] = []
        /// The properties of each entity, sorted.
        let entities: [String: [String]]
        let notes: [String]
    }

    static let schemas = [
        Schema(
            testDescription: "shop",
            statements: """
                CREATE TABLE customers (id serial PRIMARY KEY, email varchar(80) NOT NULL UNIQUE, full_name text,
                    joined_at timestamptz DEFAULT now(), vip boolean NOT NULL DEFAULT false);
                CREATE TABLE products (product_no bigint PRIMARY KEY, title text NOT NULL UNIQUE, price numeric(10,2),
                    stock smallint NOT NULL DEFAULT 0, picture bytea, tags text[]);
                CREATE TABLE orders (id serial PRIMARY KEY,
                    customer_id integer NOT NULL REFERENCES customers ON DELETE CASCADE, placed timestamp, note text);
                CREATE TABLE order_items (id serial PRIMARY KEY,
                    order_id integer NOT NULL REFERENCES orders ON DELETE CASCADE,
                    product_no bigint NOT NULL REFERENCES products ON DELETE RESTRICT,
                    quantity integer NOT NULL DEFAULT 1, UNIQUE (order_id, product_no));
                CREATE VIEW big_orders AS SELECT order_id FROM order_items WHERE quantity > 10;
                INSERT INTO customers (email, full_name) SELECT 'c' || n, 'Customer ' || n FROM generate_series(1, 9) n;
                INSERT INTO products (product_no, title, price) SELECT n * 10, 'P' || n, n FROM generate_series(1, 7) n;
                INSERT INTO orders (customer_id, placed) SELECT n % 9 + 1, now() FROM generate_series(1, 20) n;
                INSERT INTO order_items (order_id, product_no, quantity)
                    SELECT n, m * 10, n + m FROM generate_series(1, 20) n, generate_series(1, 3) m;
                """,
            entities: [
                "Customer": ["email", "fullName", "joinedAt", "orders", "vip"],
                "Product": ["orderItems", "picture", "price", "stock", "title"],
                "Order": ["customer", "note", "orderItems", "placed"],
                "OrderItem": ["order", "product", "quantity"],
            ],
            notes: [
                "the view 'big_orders' is left out", "'products.tags' is left out: no attribute has the type text[]",
                "the default value of 'customers.joined_at' has no place in a model: now()",
                "the unique index 'order_items_order_id_product_no_key' of 'order_items' has no place",
            ]),
        Schema(
            testDescription: "wiki",
            statements: """
                CREATE TABLE authors (id bigserial PRIMARY KEY, name text UNIQUE, token uuid);
                CREATE TABLE pages (id serial PRIMARY KEY, slug varchar(60) NOT NULL, body text, score real,
                    parent_id integer REFERENCES pages, author_id bigint REFERENCES authors ON DELETE SET NULL,
                    editor_id bigint REFERENCES authors, words integer GENERATED ALWAYS AS (length(slug)) STORED);
                CREATE INDEX pages_slug ON pages (slug DESC);
                CREATE TABLE revisions (id serial PRIMARY KEY, page_id integer NOT NULL REFERENCES pages ON DELETE CASCADE,
                    body text, "savedAt" timestamptz);
                CREATE TABLE labels (id serial PRIMARY KEY, name text);
                CREATE TABLE page_labels (page_id integer REFERENCES pages, label_id integer REFERENCES labels,
                    PRIMARY KEY (page_id, label_id));
                CREATE TABLE links (from_page integer REFERENCES pages, to_page integer REFERENCES pages,
                    PRIMARY KEY (from_page, to_page));
                CREATE VIEW orphans AS SELECT * FROM pages WHERE parent_id IS NULL;
                INSERT INTO authors (name) SELECT 'A' || n FROM generate_series(1, 4) n;
                INSERT INTO pages (slug, parent_id, author_id, editor_id)
                    SELECT 's' || n, NULLIF(n / 2, 0), n % 4 + 1, CASE WHEN n % 3 = 0 THEN 1 END
                    FROM generate_series(1, 30) n;
                INSERT INTO revisions (page_id, body) SELECT n % 30 + 1, 'b' FROM generate_series(1, 70) n;
                INSERT INTO labels (name) VALUES ('x'), ('y'), ('z');
                INSERT INTO page_labels SELECT n, n % 3 + 1 FROM generate_series(1, 30) n;
                INSERT INTO links SELECT n, n % 7 + 1 FROM generate_series(1, 30) n;
                """,
            entities: [
                "Author": ["name", "pagesAsAuthor", "pagesAsEditor", "token"],
                "Page": [
                    "author", "body", "editor", "fromPages", "labels", "pages", "parent", "revisions", "score", "slug",
                    "toPages",
                ],
                "Revision": ["body", "page", "savedAt"], "Label": ["name", "pages"],
            ],
            notes: [
                "the view 'orphans' is left out",
                "the column 'pages.words' is left out: the database computes its values",
            ]),
        Schema(
            testDescription: "school",
            statements: """
                CREATE SCHEMA school;
                CREATE TABLE school.rooms (code text PRIMARY KEY, seats integer);
                CREATE TABLE school.teachers (id serial PRIMARY KEY, name text NOT NULL, born date);
                CREATE TABLE school.courses (id serial PRIMARY KEY, title text, room_code text REFERENCES school.rooms);
                CREATE TABLE school.students (student_no integer PRIMARY KEY, name text,
                    mentor_no integer REFERENCES school.teachers);
                CREATE TABLE school.enrolments (student_no integer REFERENCES school.students,
                    course_id integer REFERENCES school.courses, grade smallint, PRIMARY KEY (student_no, course_id));
                CREATE TABLE school.course_teachers (course_id integer NOT NULL REFERENCES school.courses,
                    teacher_id integer NOT NULL REFERENCES school.teachers, UNIQUE (course_id, teacher_id));
                CREATE VIEW school.report AS SELECT count(*) FROM school.enrolments;
                INSERT INTO school.rooms VALUES ('R1', 30);
                INSERT INTO school.teachers (name) SELECT 'T' || n FROM generate_series(1, 5) n;
                INSERT INTO school.courses (title, room_code) SELECT 'C' || n, 'R1' FROM generate_series(1, 6) n;
                INSERT INTO school.students SELECT n, 'S' || n, n % 5 + 1 FROM generate_series(1, 25) n;
                INSERT INTO school.enrolments SELECT n, m FROM generate_series(1, 25) n, generate_series(1, 2) m;
                INSERT INTO school.course_teachers SELECT n, n % 5 + 1 FROM generate_series(1, 6) n;
                """,
            arguments: ["--schema", "school"],
            entities: [
                "Course": ["roomCode", "students", "teachers", "title"], "Student": ["courses", "mentor", "name"],
                "Teacher": ["courses", "name", "students"],
            ],
            notes: [
                "the view 'report' is left out",
                "the table 'rooms' is left out: it has the key (code), and objects need one column of whole numbers",
                "'teachers.born' is left out: no attribute has the type date",
                "the foreign key (room_code) of 'courses' to 'rooms' has no place",
                "the column 'enrolments.grade' of a join table has no place",
            ]),
    ]

    private func model(of schema: Schema, in database: TestDatabase) throws -> (NSManagedObjectModel, String) {
        try withTemporaryFolder { folder in
            let run = try ToolRun(
                ["model", "from", database.url.absoluteString, "-o", "M.xcdatamodeld"] + schema.arguments, in: folder)
            try #require(run.status == 0, "\(run.errors)")
            return (
                try NSManagedObjectModel.read(contentsOf: folder.appendingPathComponent("M.xcdatamodeld")), run.errors
            )
        }
    }

    /// The number of links of a relationship in SQL.
    private func links(_ relationship: NSRelationshipDescription, in database: TestDatabase) -> Int? {
        func info(_ description: NSPropertyDescription?, _ key: String) -> String? {
            description?.userInfo?[key] as? String
        }
        func table(_ info: [AnyHashable: Any]?) -> String {
            ((info?["PostgreSQLSchema"] as? String).map { "\"\($0)\"." } ?? "")
                + "\"\(info?["PostgreSQLName"] as? String ?? "")\""
        }
        let inverse = relationship.inverseRelationship
        for end in [relationship, inverse] where info(end, "PostgreSQLOwnerColumn") != nil {
            return database.psql("SELECT count(*) FROM \(table(end?.userInfo))").flatMap { Int($0) }
        }
        let toOne = relationship.isToMany ? inverse : relationship
        let column = info(toOne, "PostgreSQLName") ?? ""
        return database.psql("SELECT count(\"\(column)\") FROM \(table(toOne?.entity.userInfo))").flatMap { Int($0) }
    }

    @Test("The model of three schemas opens over their tables, with the counts and links of SQL", arguments: schemas)
    func counts(schema: Schema) throws {
        let database = try TestDatabase(with: schema.statements)
        let (model, errors) = try model(of: schema, in: database)
        #expect(model.entitiesByName.mapValues { $0.propertiesByName.keys.sorted() } == schema.entities)
        for note in schema.notes { #expect(errors.contains(note), "\(errors)") }
        #expect(errors.split(separator: "\n").count == schema.notes.count, "\(errors)")
        let context = try database.contextOverTables(model)
        try context.performAndWait {
            for entity in model.entities {
                let name = try #require(entity.name)
                let info = entity.userInfo
                let space = (info?["PostgreSQLSchema"] as? String).map { "\"\($0)\"." } ?? ""
                let table = try #require(info?["PostgreSQLName"] as? String)
                let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
                #expect(objects.count > 0)
                #expect("\(objects.count)" == database.psql("SELECT count(*) FROM \(space)\"\(table)\""), "\(name)")
                for (key, relationship) in entity.relationshipsByName {
                    let count = objects.reduce(0) { sum, object in
                        sum
                            + (relationship.isToMany
                                ? (object.value(forKey: key) as? Set<NSManagedObject>)?.count ?? 0
                                : object.value(forKey: key) == nil ? 0 : 1)
                    }
                    #expect(count > 0 && count == links(relationship, in: database), "\(name).\(key)")
                }
            }
        }
    }

    @Test("A program writes into tables by a model that was made of them")
    func writing() throws {
        let schema = Self.schemas[0]
        let database = try TestDatabase(with: schema.statements)
        let context = try database.contextOverTables(model(of: schema, in: database).0)
        try context.performAndWait {
            let product = try #require(
                context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Product")).first {
                    $0.value(forKey: "title") as? String == "P7"
                })
            let customer = context.make("Customer", ["email": "new", "fullName": "New One"])
            let order = context.make("Order", ["customer": customer])
            context.make("OrderItem", ["order": order, "product": product, "quantity": 3])
            try context.save()
        }
        #expect(
            database.psql(
                "SELECT full_name, quantity, product_no FROM customers c JOIN orders o ON o.customer_id = c.id "
                    + "JOIN order_items i ON i.order_id = o.id WHERE email = 'new'") == "New One|3|70")
    }
}
#endif
