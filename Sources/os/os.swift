// The name under which programs of Apple's systems import loggers and locks. `import os.log` names a part of a module
// of C that has this name, too (`Sources/COSParts`). This module is its overlay.
@_exported import OSLoggingCore
