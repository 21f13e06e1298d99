import HeraldTestSupport

/// The folder of the host center of these tests, set in the environment. It has to be read before the first use of the
/// center here.
package let hostFolder = ownHostFolder
