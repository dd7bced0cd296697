// @ts-check
/**
 * @param {string[]} given
 * @returns {{ isFromNpm: boolean, file?: string, name: string, values: string[], problem?: string }} an empty name asks for help
 */
export function parseArguments(given) {
  const isFromNpm = given[0] === '--npm';
  const rest = given.slice(isFromNpm ? 1 : 0);
  const [file] = rest[0] === '--env' ? rest.splice(0, 2).slice(1) : [];
  const hasFile = rest.length < given.length - (isFromNpm ? 1 : 0);
  const [name = '', ...values] = rest;
  const parsed = { isFromNpm, name: name === '--help' ? '' : name, values, ...(file === undefined ? {} : { file }) };
  if (hasFile && file === undefined) return { ...parsed, problem: '--env needs a file.' };
  return parsed.name.startsWith('-') ? { ...parsed, problem: `${name} is no option of cellhop.` } : parsed;
}
