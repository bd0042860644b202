import Foundation
import SwiftData

#if PostgreSQL
import CoreDataPostgreSQL
#endif

/// Where the trips are.
public enum TripStore {
    /// The store that the environment variable TRIPS_STORE names: a file, or the address of a PostgreSQL database where
    /// the program was built with that trait. Without the variable it is the file of the program's data.
    public static var configuration: ModelConfiguration {
        guard let place = ProcessInfo.processInfo.environment["TRIPS_STORE"] else { return ModelConfiguration("trips") }
        let url = place.contains("://") ? URL(string: place) : nil
        return ModelConfiguration(url: url ?? URL(fileURLWithPath: place))
    }
}
