// The accessors of the @NSManaged declarations in ManagedStop.swift. Generated: changes will be lost.

import CoreData
import Foundation

private let slot12 = ManagedSlot("kind")
extension ManagedStop {
    dynamic final internal var _managed_swiftdata_bench_ManagedStop_kind: StopKind {
        @_silgen_name("$s15swiftdata_bench11ManagedStopC4kindAA0D4KindOvg") get { slot12.value(of: self) }
        @_silgen_name("$s15swiftdata_bench11ManagedStopC4kindAA0D4KindOvs") set { slot12.set(newValue, of: self) }
    }
}

private let slot13 = ManagedSlot("name")
extension ManagedStop {
    dynamic final internal var _managed_swiftdata_bench_ManagedStop_name: String {
        @_silgen_name("$s15swiftdata_bench11ManagedStopC4nameSSvg") get { slot13.value(of: self) }
        @_silgen_name("$s15swiftdata_bench11ManagedStopC4nameSSvs") set { slot13.set(newValue, of: self) }
    }
}

private let slot14 = ManagedSlot("latitude")
extension ManagedStop {
    dynamic final internal var _managed_swiftdata_bench_ManagedStop_latitude: Double {
        @_silgen_name("$s15swiftdata_bench11ManagedStopC8latitudeSdvg") get { slot14.value(of: self) }
        @_silgen_name("$s15swiftdata_bench11ManagedStopC8latitudeSdvs") set { slot14.set(newValue, of: self) }
    }
}

private let slot15 = ManagedSlot("floor")
extension ManagedStop {
    dynamic final internal var _managed_swiftdata_bench_ManagedStop_floor: Int {
        @_silgen_name("$s15swiftdata_bench11ManagedStopC5floorSivg") get { slot15.value(of: self) }
        @_silgen_name("$s15swiftdata_bench11ManagedStopC5floorSivs") set { slot15.set(newValue, of: self) }
    }
}

private let slot16 = ManagedSlot("isOpen")
extension ManagedStop {
    dynamic final internal var _managed_swiftdata_bench_ManagedStop_isOpen: Bool {
        @_silgen_name("$s15swiftdata_bench11ManagedStopC6isOpenSbvg") get { slot16.value(of: self) }
        @_silgen_name("$s15swiftdata_bench11ManagedStopC6isOpenSbvs") set { slot16.set(newValue, of: self) }
    }
}
