// @ts-check
/** Which packages a part of the product needs at run time on a platform, from the lock file alone. */

/**
 * @typedef {object} Locked an entry of package-lock.json
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {string} [resolved] of a link, the folder of the workspace
 * @property {boolean} [link]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */
/** @typedef {Record<string, Locked>} Lock by place, such as `node_modules/zod` */

/**
 * @param {Lock} lock @param {string[]} workspaces @param {string} arch
 * @returns {string[]} places, sorted
 */
export function findPackages(lock, workspaces, arch) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @type {string[]} */
  const waiting = [...workspaces];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = lock[place] ?? {};
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const target = resolve(lock, place, name);
      if (target === undefined || found.has(target)) continue;
      const { link, resolved, os, cpu, libc } = lock[target] ?? {};
      const fits =
        (os?.includes('linux') ?? true) && (cpu?.includes(arch) ?? true) && (libc?.includes('glibc') ?? true);
      if (!fits) continue;
      found.add(target);
      waiting.push(link && resolved ? resolved : target);
    }
  }
  return [...found].filter((place) => !lock[place]?.link).sort();
}

/** As Node.js does: the nearest node_modules first. @param {Lock} lock @param {string} from @param {string} name */
function resolve(lock, from, name) {
  for (let folder = from; ;) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock[place]) return place;
    if (folder === '') return undefined;
    const end = folder.lastIndexOf('/node_modules/');
    folder = end < 0 ? '' : folder.slice(0, end);
  }
}

/** @param {string} place */
export const nameOf = (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
