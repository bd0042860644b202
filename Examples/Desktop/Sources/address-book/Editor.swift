import CoreData

/// Changes that can be undone, each as one step of the context's undo manager.
@MainActor
final class Editor {
    let undoManager = UndoManager()
    private let context: NSManagedObjectContext
    /// The field that is being typed into. Its step is still open, so that a word is undone at once.
    private var typing: (contact: Contact, property: String)?

    init(context: NSManagedObjectContext) {
        self.context = context
        undoManager.groupsByEvent = false
        context.undoManager = undoManager
    }

    func makeContact() -> Contact {
        step("New Contact") { Contact(context: context) }
    }

    func delete(_ contact: Contact) {
        step("Delete Contact") { context.delete(contact) }
    }

    func type(_ text: String, into property: String, of contact: Contact) {
        if typing?.contact != contact || typing?.property != property {
            endTyping()
            begin("Typing")
            typing = (contact, property)
        }
        let isOptional = contact.entity.attributesByName[property]?.isOptional == true
        contact.setValue(text.isEmpty && isOptional ? nil : text, forKey: property)
        context.processPendingChanges()
    }

    func undo() {
        endTyping()
        undoManager.undo()
        context.processPendingChanges()
    }

    func redo() {
        endTyping()
        undoManager.redo()
        context.processPendingChanges()
    }

    /// Closes the step of what was typed.
    func endTyping() {
        if typing == nil { return }
        typing = nil
        undoManager.endUndoGrouping()
    }

    private func begin(_ name: String) {
        undoManager.beginUndoGrouping()
        undoManager.setActionName(name)
    }

    private func step<Result>(_ name: String, _ change: () -> Result) -> Result {
        endTyping()
        begin(name)
        defer { undoManager.endUndoGrouping() }
        let result = change()
        // This passes the change to the controller of the list, and its inverse to the undo manager.
        context.processPendingChanges()
        return result
    }
}
