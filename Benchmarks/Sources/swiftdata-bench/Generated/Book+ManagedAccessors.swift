// The accessors of the @NSManaged declarations in Book.swift. Generated: changes will be lost.

import CoreData
import Foundation

private let slot0 = ManagedSlot("name")
extension Author {
    dynamic final internal var _managed_swiftdata_bench_Author_name: String {
        @_silgen_name("$s15swiftdata_bench6AuthorC4nameSSvg") get { slot0.value(of: self) }
        @_silgen_name("$s15swiftdata_bench6AuthorC4nameSSvs") set { slot0.set(newValue, of: self) }
    }
}

private let slot1 = ManagedSlot("joined")
extension Author {
    dynamic final internal var _managed_swiftdata_bench_Author_joined: Date {
        @_silgen_name("$s15swiftdata_bench6AuthorC6joined20FoundationEssentials4DateVvg") get { slot1.value(of: self) }
        @_silgen_name("$s15swiftdata_bench6AuthorC6joined20FoundationEssentials4DateVvs") set { slot1.set(newValue, of: self) }
    }
}

private let slot2 = ManagedSlot("active")
extension Author {
    dynamic final internal var _managed_swiftdata_bench_Author_active: Bool {
        @_silgen_name("$s15swiftdata_bench6AuthorC6activeSbvg") get { slot2.value(of: self) }
        @_silgen_name("$s15swiftdata_bench6AuthorC6activeSbvs") set { slot2.set(newValue, of: self) }
    }
}

private let slot3 = ManagedSlot("books")
extension Author {
    dynamic final internal var _managed_swiftdata_bench_Author_books: NSSet? {
        @_silgen_name("$s15swiftdata_bench6AuthorC5books10Foundation5NSSetCSgvg") get { slot3.value(of: self) }
        @_silgen_name("$s15swiftdata_bench6AuthorC5books10Foundation5NSSetCSgvs") set { slot3.set(newValue, of: self) }
    }
}

private let slot4 = ManagedSlot("title")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_title: String {
        @_silgen_name("$s15swiftdata_bench4BookC5titleSSvg") get { slot4.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC5titleSSvs") set { slot4.set(newValue, of: self) }
    }
}

private let slot5 = ManagedSlot("isbn")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_isbn: String {
        @_silgen_name("$s15swiftdata_bench4BookC4isbnSSvg") get { slot5.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC4isbnSSvs") set { slot5.set(newValue, of: self) }
    }
}

private let slot6 = ManagedSlot("pages")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_pages: Int64 {
        @_silgen_name("$s15swiftdata_bench4BookC5pagess5Int64Vvg") get { slot6.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC5pagess5Int64Vvs") set { slot6.set(newValue, of: self) }
    }
}

private let slot7 = ManagedSlot("price")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_price: Double {
        @_silgen_name("$s15swiftdata_bench4BookC5priceSdvg") get { slot7.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC5priceSdvs") set { slot7.set(newValue, of: self) }
    }
}

private let slot8 = ManagedSlot("published")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_published: Date {
        @_silgen_name("$s15swiftdata_bench4BookC9published20FoundationEssentials4DateVvg") get { slot8.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC9published20FoundationEssentials4DateVvs") set { slot8.set(newValue, of: self) }
    }
}

private let slot9 = ManagedSlot("rating")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_rating: Float {
        @_silgen_name("$s15swiftdata_bench4BookC6ratingSfvg") get { slot9.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC6ratingSfvs") set { slot9.set(newValue, of: self) }
    }
}

private let slot10 = ManagedSlot("note")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_note: String? {
        @_silgen_name("$s15swiftdata_bench4BookC4noteSSSgvg") get { slot10.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC4noteSSSgvs") set { slot10.set(newValue, of: self) }
    }
}

private let slot11 = ManagedSlot("author")
extension Book {
    dynamic final internal var _managed_swiftdata_bench_Book_author: Author? {
        @_silgen_name("$s15swiftdata_bench4BookC6authorAA6AuthorCSgvg") get { slot11.value(of: self) }
        @_silgen_name("$s15swiftdata_bench4BookC6authorAA6AuthorCSgvs") set { slot11.set(newValue, of: self) }
    }
}
