// @ts-check

/** A failure that the user at the terminal can fix: the commands print its message without a stack. */
export class Problem extends Error {
  /** @param {string} message @param {number} [exitCode] */
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'Problem';
    this.exitCode = exitCode;
  }
}

/** Prints why a command failed and returns its exit code. @param {unknown} error @returns {number} */
export function reportFailure(error) {
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
