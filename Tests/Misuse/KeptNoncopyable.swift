// expect: type 'Settings' does not conform to protocol 'Copyable'
import Herald

#if MISUSE
struct Settings: HeraldCenter.KeptMessage, ~Copyable {}
#else
struct Settings: HeraldCenter.KeptMessage {}
#endif
