/**
 * The definitions of api/sql are applied while processes of the previous release still call them. CONTRIBUTING.md explains
 * the rule; these checks find violations.
 */
const REVISION = /^-- revision: (\d+)\n/;
const HEADER = /^create or replace (function|view) (\w+)\b/;

/** @returns the violations of a definition */
export function checkDefinition(name: string, text: string): string[] {
  const found: string[] = [];
  if (!REVISION.test(text)) found.push('does not begin with "-- revision: <number>"');
  const statements = toStatements(text);
  if (statements.length === 0) found.push('creates nothing');
  for (const statement of statements) {
    const [, , created] = HEADER.exec(statement) ?? [];
    if (created !== name) found.push(`does more than "create or replace function ${name}", or view`);
  }
  return found;
}

/**
 * @param released the definition of the last release, which its processes rely on
 * @param text undefined: the file was deleted
 * @param isUnused a migration says that nothing since the last release uses it
 * @returns what processes of the last release would miss
 */
export function checkChange(released: string, text: string | undefined, isUnused = false): string[] {
  if (text === released) return [];
  if (text === undefined) return isUnused ? [] : ['was deleted: processes of the last release may call it'];
  const found: string[] = [];
  if (readRevision(text) <= readRevision(released)) found.push('has changed and needs a greater revision');
  const signatures = new Set(readSignatures(text));
  for (const signature of readSignatures(released))
    if (!signatures.has(signature)) found.push(`lacks a signature of the last release: ${signature}`);
  return found;
}

function readRevision(text: string): number {
  return Number(REVISION.exec(text)?.[1] ?? 0);
}

/** Names, parameters and results of functions. Not the columns of views: PostgreSQL itself refuses to remove them. */
function readSignatures(text: string): string[] {
  return toStatements(text)
    .filter((statement) => HEADER.exec(statement)?.[1] === 'function')
    .map((statement) => statement.slice(0, statement.search(/\s+language\s/)));
}

/** Statements without comments and function bodies, with single spaces. */
function toStatements(text: string): string[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
