import Foundation

// On a Mac initialisers are Objective-C's and may be called on any class: on a generic parameter, on a metatype, on
// `self` in a class method. The framework does it too, to make objects of a program's classes. Swift allows that only
// for `required` initialisers, and `required` would reject subclasses that have initialisers of their own. So each
// initialiser is declared once more in a protocol's extension. The compiler chooses that declaration if the class's own
// is not allowed. It is disfavoured, so that any initialiser of a subclass has precedence, also one with an additional
// default argument or optional parameter.
//
// Each takes three steps, because only the metatype has the requested class:
// - The initialiser of the extension calls one that is declared without a body.
// - The body of that initialiser is a static method with the same linker name, which has the metatype.
// - The method calls a convenience initialiser as a function, which calls the initialiser of the exact class. In a
//   subclass without it, the compiler generates one that stops the process, as on a Mac: 'unimplemented initializer'.
//
// The framework itself calls that function directly.
//
// The methods consume their arguments, because initialisers do: both declarations of a linker name have to agree.

/// The classes that have initialisers which may be called on any class, as on a Mac.
///
/// OpenCoreData only.
public protocol InitializedOfAnyClass: AnyObject {}

// MARK: Value transformers

extension ValueTransformer: InitializedOfAnyClass {}

extension InitializedOfAnyClass where Self: ValueTransformer {
    /// Creates a transformer of the class that the initialiser is called on.
    @_disfavoredOverload
    public init() { self.init(ofClass: ()) }

    @_silgen_name("OpenCoreData_transformerOfClass")
    init(ofClass nothing: Void)

    @_silgen_name("OpenCoreData_transformerOfClass")
    static func make(_ nothing: Void) -> Self {
        unsafeDowncast((self as ValueTransformer.Type).makeTransformer(()), to: self)
    }
}

extension ValueTransformer {
    @_silgen_name("OpenCoreData_transformer")
    convenience init(of nothing: Void) { self.init() }

    @_silgen_name("OpenCoreData_transformer")
    static func makeTransformer(_ nothing: Void) -> ValueTransformer
}
