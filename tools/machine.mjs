// @ts-check

/**
 * What decides which binaries run here.
 * @typedef {object} Machine
 * @property {string} platform @property {string} arch
 * @property {boolean} hasMusl for example Alpine: the binaries that npm installs for us need the GNU C library
 */

/** @returns {Machine} */
export function inspectMachine() {
  const { platform, arch } = process;
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return { platform, arch, hasMusl: platform === 'linux' && report.header.glibcVersionRuntime === undefined };
}
