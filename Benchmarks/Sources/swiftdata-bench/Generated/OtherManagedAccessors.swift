// The accessors of the @NSManaged declarations in other files. Generated: changes will be lost.

