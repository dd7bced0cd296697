/** The licences allowed for packages that run in production or are sent to browsers. */

/** SPDX identifiers of licences that require no more than a notice; OFL is for fonts. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

export interface LockedPackage {
  license?: string;
  /** Used by the build only. */
  dev?: boolean;
  /** A workspace of this repository. */
  link?: boolean;
}

/** @param packages of package-lock.json, by place. @returns one message for each licence that is not allowed */
export function refusedLicences(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages)
    .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
    .filter(([, { license }]) => !isAllowed(license))
    .map(([place, { license }]) => `${place.replace(/^.*node_modules\//, '')}: ${license ?? 'no licence'}`);
}

/** `(MIT OR GPL-2.0)` allows a choice, `MIT AND GPL-2.0` does not. Nested expressions are refused, so a person reviews them. */
function isAllowed(expression: string | undefined): boolean {
  if (expression === undefined) return false;
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(text)) return false;
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((name) => ALLOWED.has(name)));
}
