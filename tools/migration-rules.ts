/**
 * Expand, then contract: processes of the previous release must work on the new schema, and a table in use must be
 * neither rewritten nor locked for long. CONTRIBUTING.md explains the rule; these statements break it.
 */
import { normalize } from '../api/src/db/migration-statements.ts';

/**
 * `-- contract: nothing since 0.3.0 uses promo_codes.note`: no release from 0.3.0 on uses what this migration removes.
 * Operators do not skip releases, so it is safe to remove.
 */
const CONTRACT = /^-- contract: nothing since (\S+) uses \S/m;
const CONCURRENTLY = /_concurrently\.sql$/;

/** Allowed only in a migration with a `-- contract:` line. */
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
 * @returns the violations of a migration
 */
export function checkMigration(name: string, text: string, versions: readonly string[]): string[] {
  const sql = normalize(text);
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
    if (!created.has(table!)) found.push(...findUnsafeColumns(actions!));
  if (!CONCURRENTLY.test(name))
    for (const [, table] of sql.matchAll(/\bcreate\s+(?:unique\s+)?index\s+\w+\s+on\s+(\w+)/g))
      if (!created.has(table!))
        found.push(`builds an index on ${table} in a transaction: use a file *_concurrently.sql`);
  return found;
}

/** Splits at commas before the next action, such as `add column`. */
function findUnsafeColumns(actions: string): string[] {
  const columns = actions.split(/,\s*(?=(?:add|alter|drop|disable|enable|rename|validate)\b)/);
  return columns
    .filter(
      (action) => /^\s*add\s+column\b/.test(action) && /\bnot\s+null\b/.test(action) && !/\bdefault\b/.test(action),
    )
    .map(() => 'adds a column that is not null and has no default: an older process writes rows without it');
}
