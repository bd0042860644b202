// The name under which many programs import the module os. It brings Foundation along, as it does on Apple's systems.
@_exported import Foundation
@_exported import os
