import CoreData

/// Records the delegate calls of a controller, and keeps a copy of its results up to date by nothing else, as a table
/// would.
final class RecordingDelegate: NSObject, NSFetchedResultsControllerDelegate {
    struct Section {
        var name: String
        var objects: [NSManagedObject]
    }

    struct Change {
        var type: NSFetchedResultsChangeType
        var object: NSManagedObject
        var old: IndexPath?
        var new: IndexPath?
    }

    private(set) var copy: [Section]
    private(set) var events: [String] = []
    private(set) var changes: [Change] = []
    /// The number of all events so far, by kind.
    private(set) var told: [String: Int] = [:]
    /// The faults in the notifications.
    private(set) var faults: [String] = []
    private var deletedSections: [(index: Int, name: String)] = []
    private var insertedSections: [(index: Int, name: String)] = []

    init(copying controller: NSFetchedResultsController<NSManagedObject>) {
        copy = Self.sections(of: controller)
    }

    static func sections(of controller: NSFetchedResultsController<NSManagedObject>) -> [Section] {
        (controller.sections ?? []).map {
            Section(name: $0.name, objects: $0.objects?.compactMap { $0 as? NSManagedObject } ?? [])
        }
    }

    func forget() {
        events = []
        faults = []
        changes = []
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        events.append("will")
        changes = []
        deletedSections = []
        insertedSections = []
        if controller.fetchedObjects?.count != copy.reduce(0, { $0 + $1.objects.count }) {
            faults.append("The results were not as before when the change was announced")
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        if !changes.isEmpty { faults.append("A section was told after an object") }
        told["section \(type)", default: 0] += 1
        switch type {
        case .delete:
            events.append("delete section \(sectionInfo.name) at \(sectionIndex)")
            deletedSections.append((sectionIndex, sectionInfo.name))
        case .insert:
            events.append("insert section \(sectionInfo.name) at \(sectionIndex)")
            insertedSections.append((sectionIndex, sectionInfo.name))
        default:
            faults.append("A section can neither move nor change")
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return faults.append("\(anObject) is no object") }
        let title = object.value(forKey: "title") as? String ?? "?"
        told["\(type)", default: 0] += 1
        let places = "\(indexPath.map(Self.text) ?? "nil") \(newIndexPath.map(Self.text) ?? "nil")"
        switch type {
        case .insert: events.append("insert \(title) \(places)")
        case .delete: events.append("delete \(places)")
        case .move: events.append("move \(title) \(places)")
        case .update: events.append("update \(title) \(places)")
        }
        if let indexPath,
            !(copy.indices.contains(indexPath[0]) && copy[indexPath[0]].objects.indices.contains(indexPath[1])
                && copy[indexPath[0]].objects[indexPath[1]] === object)
        {
            faults.append("\(type) of an object that was not at \(indexPath)")
        }
        changes.append(Change(type: type, object: object, old: indexPath, new: newIndexPath))
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        events.append("did")
        replay()
        for change in changes {
            guard let new = change.new else { continue }
            guard copy.indices.contains(new[0]), copy[new[0]].objects.indices.contains(new[1]),
                copy[new[0]].objects[new[1]] === change.object
            else {
                faults.append("\(change.type) of an object that is not at \(new)")
                continue
            }
        }
    }

    private static func text(_ path: IndexPath) -> String { "\(path[0]).\(path[1])" }

    /// Deletions by the old places from the last to the first, then insertions by the new ones; a move is both.
    private func replay() {
        let gone = changes.filter { $0.type == .delete || $0.type == .move }.compactMap(\.old).sorted(by: >)
        for path in gone { copy[path[0]].objects.remove(at: path[1]) }
        for (index, name) in deletedSections.sorted(by: { $0.index > $1.index }) {
            let section = copy.remove(at: index)
            if section.name != name { faults.append("Section \(name) was not at \(index)") }
            if !section.objects.isEmpty { faults.append("Objects of the deleted section \(name) were not told") }
        }
        for (index, name) in insertedSections.sorted(by: { $0.index < $1.index }) {
            guard index <= copy.count else { return faults.append("No room for section \(name) at \(index)") }
            copy.insert(Section(name: name, objects: []), at: index)
        }
        let come = changes.filter { $0.type == .insert || $0.type == .move }
            .sorted { ($0.new ?? []) < ($1.new ?? []) }
        for change in come {
            guard let path = change.new, copy.indices.contains(path[0]),
                path[1] <= copy[path[0]].objects.count
            else { return faults.append("No room for an object at \(String(describing: change.new))") }
            copy[path[0]].objects.insert(change.object, at: path[1])
        }
    }
}
