// @ts-check

/** A condition that the person at the terminal can change: the commands print its one sentence and no stack. */
export class Problem extends Error {
  /** @param {string} sentence @param {number} [exitCode] */
  constructor(sentence, exitCode = 1) {
    super(sentence);
    this.name = 'Problem';
    this.exitCode = exitCode;
  }
}

/** Prints why a command failed and returns its exit code. @param {unknown} error @returns {number} */
export function explain(error) {
  if (!(error instanceof Problem)) {
    console.error(error);
    return 1;
  }
  console.error(`\n${error.message}`);
  return error.exitCode;
}
