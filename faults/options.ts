/** The arguments of `npm run faults`: `kind=...` chooses the run, the others are its own. */
const KIND = 'kind=';

const given = process.argv.slice(2);

export const kind = given.find((argument) => argument.startsWith(KIND))?.slice(KIND.length) ?? 'programs';

/** What was given beside the kind. */
export const options: readonly string[] = given.filter((argument) => !argument.startsWith(KIND));
