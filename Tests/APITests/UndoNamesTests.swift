import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of undo")
struct UndoNamesTests {
    @Test("NSManagedObjectContext has its members that undo")
    func context() {
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, UndoManager?> = \.undoManager
        let _: (NSManagedObjectContext) -> () -> Void = NSManagedObjectContext.undo
        let _: (NSManagedObjectContext) -> () -> Void = NSManagedObjectContext.redo
    }

    @Test("UndoManager has its members")
    func undoManager() {
        let _: (UndoManager) -> () -> Void = UndoManager.undo
        let _: (UndoManager) -> () -> Void = UndoManager.redo
        let _: (UndoManager) -> () -> Void = UndoManager.undoNestedGroup
        let _: (UndoManager) -> () -> Void = UndoManager.beginUndoGrouping
        let _: (UndoManager) -> () -> Void = UndoManager.endUndoGrouping
        let _: (UndoManager) -> () -> Void = UndoManager.disableUndoRegistration
        let _: (UndoManager) -> () -> Void = UndoManager.enableUndoRegistration
        let _: (UndoManager) -> () -> Void = UndoManager.removeAllActions
        let _: (UndoManager) -> (Any) -> Void = UndoManager.removeAllActions(withTarget:)
        let _: (UndoManager) -> (String) -> Void = UndoManager.setActionName(_:)
        let _: KeyPath<UndoManager, Int> = \.groupingLevel
        let _: KeyPath<UndoManager, Bool> = \.isUndoRegistrationEnabled
        let _: KeyPath<UndoManager, Bool> = \.canUndo
        let _: KeyPath<UndoManager, Bool> = \.canRedo
        let _: KeyPath<UndoManager, Bool> = \.isUndoing
        let _: KeyPath<UndoManager, Bool> = \.isRedoing
        let _: KeyPath<UndoManager, String> = \.undoActionName
        let _: KeyPath<UndoManager, String> = \.redoActionName
        let _: ReferenceWritableKeyPath<UndoManager, Bool> = \.groupsByEvent
        let _: ReferenceWritableKeyPath<UndoManager, Int> = \.levelsOfUndo
    }
}
