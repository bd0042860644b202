import CoreData

/// The model and stores of these tests.
enum Journal {
    /// Loading a model twice makes two sets of entities for one set of classes, so it is loaded once.
    static let model: NSManagedObjectModel = {
        guard let url = Bundle.module.url(forResource: "Journal", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { fatalError("the model is not in the bundle") }
        return model
    }()

    /// A version of the model by its name.
    static func model(version: String) -> NSManagedObjectModel {
        guard let url = Bundle.module.url(forResource: version, withExtension: "mom", subdirectory: "Journal.momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { fatalError("version \(version) of the model is not in the bundle") }
        return model
    }

    /// A container with an empty store in memory.
    static func inMemoryContainer() -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in
            if let error { fatalError("\(error)") }
        }
        return container
    }

    /// A container with its store in a file.
    static func container(at url: URL) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var loadError: Error?
        container.loadPersistentStores { _, error in
            loadError = error
        }
        if let loadError { throw loadError }
        return container
    }

    /// An address in a folder of its own, for a store.
    static func temporaryStoreURL() -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("Journal.sqlite")
    }

    /// Removes the folder of such an address.
    static func remove(_ url: URL) {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
}

extension NSManagedObjectContext {
    /// A trip with stops of one, two, three … nights.
    @discardableResult
    func insertTrip(_ title: String, _ places: String...) -> Trip {
        let trip = Trip(context: self)
        trip.title = title
        for (index, place) in places.enumerated() {
            let stop = Stop(context: self)
            stop.place = place
            stop.nights = Int16(index + 1)
            stop.rating = Double(5 - index)
            trip.addToStops(stop)
        }
        return trip
    }
}
