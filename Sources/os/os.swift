// Implementation notes: os.
//
// - Programs for Apple's systems import `os`, `os.log` or `OSLog` nearly everywhere. This module has their loggers,
//   locks and signposts, so that such sources compile unchanged. The product is `OSLogging`.
// - The module is an overlay: `import os` below imports the module of C with the same name (`Sources/COSLock`). The
//   submodules of the C module make `import os.log` compile.
// - A message is an `OSLogMessage`, or the text of a C format that `FormattedMessage` takes apart. `LogOutput` decides
//   which messages to write, and writes them.

@_exported import os
