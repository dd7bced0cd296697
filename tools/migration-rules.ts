/**
 * Expand, then contract: processes of the version before go on working on the new schema, and a table that is in use is
 * neither rewritten nor locked for long. CONTRIBUTING.md has the whole rule; these are the statements that break it.
 */

/** Migrations up to this one were merged before the rule. */
export const LAST_EXEMPT = '0018';

/**
 * `-- contract: nothing since 0.3.0 uses promo_codes.note`: what is taken away here is used by no release from this one on.
 * Nobody skips a release, so it may go.
 */
const CONTRACT = /^-- contract: nothing since (\S+) uses \S/m;
const CONCURRENTLY = /_concurrently\.sql$/;

/** Allowed only in a migration that is marked as a contraction. */
const contractions: { sentence: string; pattern: RegExp }[] = [
  {
    sentence: 'drops a column, a table, a view, a type or a function',
    pattern: /\bdrop\s+(?:column|table|view|materialized|type|domain|function|schema)\b/,
  },
  { sentence: 'renames', pattern: /\brename\s+(?:to|column|constraint|value)\b|\brename\s+\w+\s+to\b/ },
  { sentence: 'changes the type of a column', pattern: /\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b/ },
  { sentence: 'forbids null in a column that is in use', pattern: /\bset\s+not\s+null\b/ },
  { sentence: 'truncates', pattern: /\btruncate\b(?!\s+on\b)/ },
];

/**
 * @param versions those of releases.json
 * @returns what is wrong with a migration, as sentences
 */
export function judgeMigration(name: string, text: string, versions: readonly string[]): string[] {
  const sql = withoutTexts(text);
  const found: string[] = [];
  const version = CONTRACT.exec(text)?.[1];
  if (version !== undefined && !versions.includes(version))
    found.push(`names ${version} as the release since which nothing uses it: releases.json does not have it`);
  if (version === undefined)
    found.push(...contractions.filter(({ pattern }) => pattern.test(sql)).map(({ sentence }) => sentence));
  const created = new Set(
    [...sql.matchAll(/\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/g)].map(([, table]) => table!),
  );
  for (const [, table, actions] of sql.matchAll(/\balter\s+table\s+(?:only\s+)?(\w+)\s([^;]*)/g))
    if (!created.has(table!)) found.push(...judgeNewColumns(actions!));
  if (!CONCURRENTLY.test(name))
    for (const [, table] of sql.matchAll(/\bcreate\s+(?:unique\s+)?index\s+\w+\s+on\s+(\w+)/g))
      if (!created.has(table!))
        found.push(`builds an index on ${table} in a transaction: use a file *_concurrently.sql`);
  return found;
}

/** An action is one `add column`, up to the comma that begins the next. */
function judgeNewColumns(actions: string): string[] {
  const columns = actions.split(/,\s*(?=(?:add|alter|drop|disable|enable|rename|validate)\b)/);
  return columns
    .filter(
      (action) => /^\s*add\s+column\b/.test(action) && /\bnot\s+null\b/.test(action) && !/\bdefault\b/.test(action),
    )
    .map(() => 'adds a column that is not null and has no default: an older process writes rows without it');
}

/** In lower case, without comments and texts; the bodies of functions are no statements of the migration. */
function withoutTexts(text: string): string {
  return text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
}
