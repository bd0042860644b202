/// A row of a store's results, whose values are read by the places of their columns.
package protocol FetchedColumns: AnyObject {
    func isNull(_ place: Int) -> Bool
    func int64(_ place: Int) -> Int64
    func double(_ place: Int) -> Double
    func string(_ place: Int) -> String
}
