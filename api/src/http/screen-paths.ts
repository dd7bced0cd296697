import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Written by the build of the web app (web/build/paths-plugin.ts). */
export const SCREEN_PATHS_FILE = '.vite/paths.json';

/**
 * @param root of the built web app
 * @returns whether the app has a screen with this path, regardless of its parameters; undefined if the build has no list
 */
export function readScreenPaths(root: string): ((pathname: string) => boolean) | undefined {
  const file = path.join(root, SCREEN_PATHS_FILE);
  if (!existsSync(file)) return undefined;
  const paths = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const fixed = new Set(paths.filter((each) => !each.includes('$')));
  const patterns = paths.filter((each) => each.includes('$')).map(toPattern);
  return (pathname) => {
    // The app's router ignores a slash at the end, too.
    const screen = pathname.replace(/(?<=.)\/$/, '');
    return fixed.has(screen) || patterns.some((pattern) => pattern.test(screen));
  };
}

/** `$name` stands for one part of a path. */
function toPattern(screenPath: string): RegExp {
  return new RegExp(`^${screenPath.replaceAll(/\$\w+/g, '[^/]+')}$`);
}
