import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// Leaves out a test that measures memory where the thread sanitizer runs.
    static var withoutThreadSanitizer: Self {
        .disabled(
            if: dlsym(nil, "__tsan_init") != nil, "The thread sanitizer keeps memory of its own for each that is used.")
    }
}
