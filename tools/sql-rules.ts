/**
 * The texts of api/sql are applied while processes of the release before go on calling what they create. CONTRIBUTING.md has the whole
 * rule; these are the texts that break it.
 */
const REVISION = /^-- revision: (\d+)\n/;
const HEAD = /^create or replace (function|view) (\w+)\b/;

/** @returns what is wrong with a text, as sentences */
export function judgeText(name: string, text: string): string[] {
  const found: string[] = [];
  if (!REVISION.test(text)) found.push('does not begin with "-- revision: <number>"');
  const statements = statementsOf(text);
  if (statements.length === 0) found.push('creates nothing');
  for (const statement of statements) {
    const [, , created] = HEAD.exec(statement) ?? [];
    if (created !== name) found.push(`does more than "create or replace function ${name}", or view`);
  }
  return found;
}

/**
 * @param released the text of the last release, which its processes rely on
 * @param text undefined: the file has gone
 * @returns what older processes, or a database that they have prepared, would miss
 */
export function judgeChange(released: string, text: string | undefined): string[] {
  if (text === released) return [];
  if (text === undefined) return ['has gone: processes of the last release may call it'];
  const found: string[] = [];
  if (revisionOf(text) <= revisionOf(released)) found.push('has changed and needs a greater revision');
  const signatures = new Set(signaturesOf(text));
  for (const signature of signaturesOf(released))
    if (!signatures.has(signature)) found.push(`lacks what the last release calls: ${signature}`);
  return found;
}

function revisionOf(text: string): number {
  return Number(REVISION.exec(text)?.[1] ?? 0);
}

/** Names, parameters and results of functions. The columns of a view are PostgreSQL's to guard: it refuses to take any away. */
function signaturesOf(text: string): string[] {
  return statementsOf(text)
    .filter((statement) => HEAD.exec(statement)?.[1] === 'function')
    .map((statement) => statement.slice(0, statement.search(/\s+language\s/)));
}

/** Without comments, with single spaces; the bodies of functions are left out. */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
