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
  if (error instanceof Problem) {
    console.error(`\n${error.message}`);
    return error.exitCode;
  }
  const { code, path } = /** @type {NodeJS.ErrnoException} */ (error);
  if (path && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')) {
    console.error(`\nThis user may not change ${path}: run as its owner, or choose another place with DATA_DIR.`);
  } else {
    console.error(error);
  }
  return 1;
}
