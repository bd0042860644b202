import Foundation

/// Finds the entity of a class, from the class itself or from the models in use.
enum EntityOfClass {
    /// A test whether a class overrides `entity()`. The framework's own method finds the test of the running task and
    /// marks it as answered. Without a test that method would have to stop the process where no model is in use.
    private final class Question {
        let managedClass: NSManagedObject.Type
        private(set) var plainAnswer: NSEntityDescription?

        init(_ managedClass: NSManagedObject.Type) { self.managedClass = managedClass }

        func answer() -> NSEntityDescription {
            if let plainAnswer { return plainAnswer }
            let entity = unique(managedClass) ?? NSEntityDescription()
            if entity.name == nil { entity.name = "\(managedClass)" }
            plainAnswer = entity
            return entity
        }
    }

    // A task-local value has to be Sendable. The test never leaves the thread that makes it.
    @TaskLocal private static var question: UncheckedSendable<Question>?

    /// The result of `entity()` for a class that does not override it. If the entity cannot be found, it is an entity
    /// without a name and a model, and standard error gets a line. On a Mac the result is nil then.
    static func answer(of managedClass: NSManagedObject.Type) -> NSEntityDescription {
        if let question, question.value.managedClass == managedClass { return question.value.answer() }
        if let entity = unique(managedClass) { return entity }
        let names = Set(ModelsInUse.entities(of: managedClass).map { $0.name ?? "" }).sorted()
        let found = names.isEmpty ? "no model in use has an entity of this class" : names.joined(separator: ", ")
        let text = """
            CoreData: error: +[\(managedClass) entity] Failed to find a unique match for an NSEntityDescription to a \
            managed object subclass (\(found))

            """
        FileHandle.standardError.write(Data(text.utf8))
        return NSEntityDescription()
    }

    /// The result of a class's own `entity()`; nil for a class that does not override it.
    static func overridden(by managedClass: NSManagedObject.Type) -> NSEntityDescription? {
        let question = Question(managedClass)
        let entity = Self.$question.withValue(UncheckedSendable(question)) { managedClass.entity() }
        return entity === question.plainAnswer ? nil : entity
    }

    /// The name for a request: that of the class's own entity, that of the models in use, or the name of the class.
    static func name(of managedClass: NSManagedObject.Type) -> String {
        if let name = overridden(by: managedClass)?.name { return name }
        if ModelsInUse.entities(of: managedClass).isEmpty { return "\(managedClass)" }
        return answer(of: managedClass).name ?? ""
    }

    private static func unique(_ managedClass: NSManagedObject.Type) -> NSEntityDescription? {
        let candidates = ModelsInUse.entities(of: managedClass)
        return Set(candidates.map { $0.name ?? "" }).count == 1 ? candidates.last : nil
    }
}
