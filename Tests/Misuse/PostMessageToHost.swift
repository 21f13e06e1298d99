// expect: cannot convert value of type 'Saved' to expected argument type 'HeraldCenter.Name'
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message {}
#else
    extension HeraldCenter.Name { static let saved: Self = "com.acme.saved" }
#endif

func save() {
    #if MISUSE
        HeraldCenter.host.post(Saved())
    #else
        HeraldCenter.host.post(.saved)
    #endif
}
