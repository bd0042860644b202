// Implementation notes: SwiftData.
//
// - A model wraps a managed object, its core (`_ModelCore`). The macro keeps one pointer to it in the model, and the
//   accessors of its properties read and write the core's slots by a static `_Slot`. The declared type of a property
//   chooses the overload, as for the accessors of `@NSManaged`.
// - The core refers to its model without retaining it (`ZeroingReference`). A context retains the models that have
//   unsaved changes, so that their transient values survive.
// - A new model's core belongs to no context and has the layout of the schema that its type was last used in. So its
//   values go straight to their places, and insertion changes the binding only. In another schema the core moves there.
// - A schema of types becomes a managed object model (`ModelBuilder`). A composite attribute's fields are those of the
//   standard library's reflection, and their values are read and written in memory at the fields' offsets
//   (`ValuePlan`), without a decoder and without a dictionary. Reads of fields of the common types are compiled for
//   these types (`FieldPlace`): code for any type takes ten times as long.
// - A getter and a setter of a to-many relationship pass whole arrays. While a relationship has unsaved changes, its
//   context keeps its models (`MemberList`), so that an append takes no longer than setting the inverse.
// - While a context makes a model of a row, the core is handed over in a record of the thread (`ModelMaking`), as the
//   framework does it for managed objects.
// - A context collects what other contexts of its coordinator save, and takes it over before it reads. `RemoteCommits`
//   adds the commits of other processes.
// - A save that finds the unique values of a new model taken lets the model show the core of the row (`ReplacedCores`).
//   So a model's core is asked for its present one before anything else.
// - A relationship that an initialiser sets has an inverse at once, which gives the model whose initialiser runs. The
//   macro adds a byte to classes that may have relationships, and its address says where the model is (`Slot+Place`).

@_exported import class CoreData.UndoManager
@_exported import Foundation
@_exported import Observation
