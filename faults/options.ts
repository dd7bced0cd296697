/** The arguments of `npm run faults`: `kind=...` selects the run, which parses the others. */
const KIND = 'kind=';

const given = process.argv.slice(2);

export const kind = given.find((argument) => argument.startsWith(KIND))?.slice(KIND.length) ?? 'programs';

/** All arguments except the kind. */
export const options: readonly string[] = given.filter((argument) => !argument.startsWith(KIND));
