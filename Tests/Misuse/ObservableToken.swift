// expect: class 'Model' requires that 'HeraldCenter.ObservationToken' conform to 'Copyable'
import Herald
import Observation

@MainActor @Observable final class Model {
    #if MISUSE
    private var token: HeraldCenter.ObservationToken?
    #else
    @ObservationIgnored private var token: HeraldCenter.ObservationToken?
    #endif

    func start(_ center: HeraldCenter) { token = center.observe("saved") { notice in print(notice.name) } }
}
