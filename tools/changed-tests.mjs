// @ts-check
/**
 * Which tests `npm run check` runs. Vitest's own `--changed` follows all imports, and each test of the API starts the whole of it:
 * a change of one module would run the tests of all of them.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

const TEST_FILE = /\.test\.tsx?$/;
const CODE_FILE = /\.(?:ts|tsx|mjs|js)$/;
/** Of functions and views of the database. */
const SQL_TEXT = /^api\/sql\/(?:.*\/)?([a-z0-9_]+)\.sql$/;
const IMPORT = /(?:from|import\()\s*'([^']+)'/g;
const CONTRACT = '@cellhop/contract/';
/** These read all files. */
const ALWAYS = new Set(['tools/tidy.test.ts']);

/** @param {string} root @param {string[]} args @returns {string[]} the lines of the output */
function git(root, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Problem(`git ${args.join(' ')}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/** @param {string} root @returns {string[]} what is new since this branch left `main`, committed or not */
export function listChanged(root) {
  const mains = git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/main', 'refs/remotes/origin/main');
  const [base = 'HEAD'] = mains[0] === undefined ? [] : git(root, 'merge-base', 'HEAD', mains[0]);
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard');
  return [...git(root, 'diff', '--name-only', '--no-renames', base), ...untracked];
}

/** @param {string} root @returns {Map<string, string>} the code by path */
export function readCode(root) {
  const files = git(root, 'ls-files', '--cached', '--others', '--exclude-standard');
  const existing = files.filter((file) => CODE_FILE.test(file) && fs.existsSync(path.join(root, file)));
  return new Map(existing.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]));
}

/**
 * The tests that have changed, the tests in the folders of changed files, and those that import a changed file themselves.
 * A changed definition of the database stands for the files that name it.
 * @param {Map<string, string>} code @param {readonly string[]} changed @returns {string[]}
 */
export function findTests(code, changed) {
  const names = changed.flatMap((file) => SQL_TEXT.exec(file)?.[1] ?? []);
  const naming = [...code].filter(([, text]) => names.some((name) => text.includes(name))).map(([file]) => file);
  const files = new Set([...changed, ...naming].filter((file) => CODE_FILE.test(file)));
  const folders = new Set([...files].map((file) => path.posix.dirname(file)));
  return [...code.keys()].filter(
    (file) =>
      TEST_FILE.test(file) &&
      (ALWAYS.has(file) ||
        folders.has(path.posix.dirname(file)) ||
        findImports(file, code.get(file) ?? '').some((imported) => files.has(imported))),
  );
}

/** @param {string} file @param {string} text @returns {string[]} the paths of imported files of this repository */
function findImports(file, text) {
  return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
    if (name.startsWith(CONTRACT)) return [`contract/src/${name.slice(CONTRACT.length)}.ts`];
    return name.startsWith('.') ? [path.posix.join(path.posix.dirname(file), name)] : [];
  });
}
