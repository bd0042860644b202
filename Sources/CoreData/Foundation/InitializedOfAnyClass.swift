import Foundation

// On a Mac initialisers are Objective-C's and may be called on any class: on a generic parameter, on a metatype, on
// `self` in a class method. The framework does it too, to make objects of a program's classes. Swift allows that of
// `required` ones only, and `required` would refuse subclasses that have initialisers of their own. So each is declared
// once more in a protocol's extension. The compiler takes that one if the class's own is not allowed. It is
// disfavoured, so that any initialiser of a subclass comes before it, also one with a default argument or an optional
// parameter more.
//
// Each takes three steps, because only the metatype knows the class that was asked for:
// - The initialiser of the extension calls one that is declared without a body.
// - The body of that one is a method of the type under the same name for the linker: there the metatype is at hand.
// - The method calls a convenience initialiser as a function, which finds the initialiser of the very class. In a
//   subclass without it, the compiler has put one there that stops the process, as on a Mac: 'unimplemented
//   initializer'.
//
// The framework itself calls that function directly.
//
// The methods consume their arguments, because initialisers do: both sides of a name have to agree.

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
