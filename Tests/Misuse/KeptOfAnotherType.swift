// expect: instance method 'kept' requires that 'Saved' conform to 'HeraldCenter.KeptMessage'
import Herald

#if MISUSE
struct Saved: HeraldCenter.Message, Sendable {}
#else
struct Saved: HeraldCenter.KeptMessage {}
#endif

func last(_ center: HeraldCenter) -> Saved? { center.kept(Saved.self) }
