import CoreData
import Foundation

/// The two models of the test that kills a migrating process. Between them nearly everything changes that can: an
/// entity is added in front (all numbers move), one is removed, one renamed; attributes are added, removed, renamed,
/// retyped and filled with defaults; a relationship becomes ordered.
public enum CrashModels {
    public static let older = """
        entity Book
          title string index
          pages int32
          obsolete string
          shelf one Shelf.books
          tags many Tag.books
        entity Draft
          text string
        entity Shelf
          room string
          books many Book.shelf
        entity Tag
          label string
          books many Book.tags
        """

    public static let newer = """
        entity Album
          name string
        entity Label was Tag
          label string
          books many Volume.tags
        entity Rack was Shelf
          room string! = attic
          books ordered Volume.shelf
        entity Volume was Book
          name string was title index
          pages double
          stars int16! = 3
          note string
          shelf one Rack.books
          tags many Label.books
        """

    /// The properties that the newer model leaves out on purpose.
    public static let removed = ["Book.obsolete", "Draft"]

    /// Number of books; there are a hundred shelves and two tags per book: 60,000 rows and pairs.
    public static let books = 20_000

    /// SQL that fills a store of the older model.
    public static let rows = makeRows(books: books)

    /// The statement that makes such rows with any number of books.
    public static func makeRows(books: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZROOM) SELECT i, 3, 1, CASE WHEN i % 2 THEN 'room ' || i END FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
        INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT i, 4, 1, 'tag ' || i FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(books))
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZOBSOLETE, ZSHELF)
        SELECT i, 1, 1, 'the title of the book with number ' || i, i % 700, 'of no use', 1 + i % 100 FROM n;
        INSERT INTO Z_1TAGS (Z_1BOOKS, Z_4TAGS) SELECT Z_PK, 1 + Z_PK % 50 FROM ZBOOK;
        INSERT INTO Z_1TAGS (Z_1BOOKS, Z_4TAGS) SELECT Z_PK, 1 + (Z_PK + 7) % 50 FROM ZBOOK;
        INSERT INTO ZDRAFT (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 2, 1, 'a draft');
        UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_ENT WHEN 1 THEN \(books) WHEN 2 THEN 1 WHEN 3 THEN 100 ELSE 50 END;
        """
    }
}
