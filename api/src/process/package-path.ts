import { existsSync } from 'node:fs';

/**
 * A file or directory of this package (directories end with a slash). Works for the source and for the bundles in `dist/`, which are at
 * different depths.
 */
export function packagePath(place: string): URL {
  let directory = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', directory))) {
    const parent = new URL('..', directory);
    if (parent.href === directory.href) throw new Error(`No package.json above ${import.meta.url}`);
    directory = parent;
  }
  return new URL(place, directory);
}
