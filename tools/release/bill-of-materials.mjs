// @ts-check
/** The CycloneDX list of an archive. npm's own lists packages that are not in it, and lacks some that are. */
import { nameOf } from './packages.mjs';

/** @typedef {import('./packages.mjs').Lock} Lock */

/**
 * @param {{ version: string, commit: string, arch: string, time: Date, lock: Lock, runtime: { version: string, integrity: string },
 *   places: string[], bundled: string[] }} content `bundled`: packages whose code is in web/dist
 */
export function listMaterials({ version, commit, arch, time, lock, runtime, places, bundled }) {
  const component = (/** @type {string} */ place, /** @type {string} */ where) => {
    const { version = '', integrity = '', license } = lock[place] ?? {};
    return {
      type: 'library',
      'bom-ref': where,
      ...describe(nameOf(place), version, integrity),
      ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
      properties: [{ name: 'cellhop:place', value: where }],
    };
  };
  const node = describe(`node-linux-${arch}`, runtime.version, runtime.integrity);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        type: 'application',
        'bom-ref': 'cellhop',
        name: 'cellhop',
        version: `${version}+${commit.slice(0, 12)}`,
      },
    },
    components: [
      { type: 'platform', 'bom-ref': 'runtime', ...node, properties: [{ name: 'cellhop:place', value: 'runtime' }] },
      ...places.map((place) => component(place, place)),
      ...bundled.map((place) => component(place, `web/dist: ${nameOf(place)}`)),
    ],
  };
}

/** @param {string} name @param {string} version @param {string} integrity */
function describe(name, version, integrity) {
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content }],
  };
}
