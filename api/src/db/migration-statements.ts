/** What a migration locks, as far as its statements tell. Read by operators before an upgrade, so that what is unknown is called so. */

/** `moment`: it changes the catalogue alone. `read`: as long as reading all rows takes, `write`: as long as writing them takes. */
type Duration = 'moment' | 'read' | 'write';
export interface Effect {
  /** Undefined: no table that exists. */
  table: string | undefined;
  /** What others cannot do meanwhile. */
  blocks: 'nothing' | 'writes' | 'everything' | 'changed rows' | 'unknown';
  duration: Duration;
}

const ADDS_CHECKED = /\badd\s+(?:constraint\s+\w+\s+)?(?:check|foreign\s+key|exclude)\b/;
const ADDS_INDEX = /\badd\s+(?:constraint\s+\w+\s+)?(?:unique|primary\s+key)\b/;
const REWRITES =
  /\b(?:set\s+data\s+)?type\b|\bset\s+(?:un)?logged\b|\badd\s+column\b[^,]*\b(?:serial|bigserial|identity|stored|gen_random_uuid|random|clock_timestamp|nextval)\b/;

const lock = (blocks: Effect['blocks'], duration: Duration) => (table: string | undefined) => ({
  table,
  blocks,
  duration,
});

/** The first that fits; the first group is the table. */
const rules: [RegExp, (table: string | undefined, actions: string) => Effect][] = [
  [
    /^create\s+(?:unlogged\s+)?(?:table|type|sequence|schema|domain|extension)\b/,
    () => lock('nothing', 'moment')(undefined),
  ],
  [/^create\s+(?:or\s+replace\s+)?(?:function|view|procedure)\b/, () => lock('nothing', 'moment')(undefined)],
  [/^create\s+(?:unique\s+)?index\s+concurrently\s+\w+\s+on\s+(\w+)/, lock('nothing', 'read')],
  [/^create\s+(?:unique\s+)?index\s+\w+\s+on\s+(\w+)/, lock('writes', 'read')],
  [/^create\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\s[\s\S]*?\son\s+(\w+)/, lock('writes', 'moment')],
  [/^alter\s+table\s+(?:only\s+)?(\w+)\s+validate\b/, lock('nothing', 'read')],
  [
    /^alter\s+table\s+(?:only\s+)?(\w+)\s/,
    (table, actions) => {
      if (REWRITES.test(actions)) return lock('everything', 'write')(table);
      const isChecked = ADDS_CHECKED.test(actions) && !/\bnot\s+valid\b/.test(actions);
      const reads = isChecked || ADDS_INDEX.test(actions) || /\bset\s+not\s+null\b/.test(actions);
      return lock('everything', reads ? 'read' : 'moment')(table);
    },
  ],
  [/^drop\s+(?:table|view)\s+(?:if\s+exists\s+)?(\w+)/, lock('everything', 'moment')],
  [/^drop\s+(?:trigger|function|index|type)\b(?:[\s\S]*?\son\s+(\w+))?/, lock('everything', 'moment')],
  [/^(?:update|delete\s+from)\s+(\w+)/, lock('changed rows', 'write')],
  // Of a table that others write to: it may read much, but locks nothing that they need.
  [/^insert\s+into\s+(\w+)/, lock('nothing', 'write')],
  [/^comment\s+on\b/, () => lock('nothing', 'moment')(undefined)],
];

/** @returns what its statements do to tables that it does not create itself, without those that block nothing for a moment */
export function findEffects(text: string): Effect[] {
  const statements = normalize(text)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const created = new Set(
    statements.map(
      (statement) => /^create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/.exec(statement)?.[1],
    ),
  );
  return statements
    .map((statement) => {
      for (const [pattern, describe] of rules) {
        const found = pattern.exec(statement);
        if (found) return describe(found[1], statement);
      }
      return lock('unknown', 'write')(undefined);
    })
    .filter(({ table, blocks }) => table === undefined || !created.has(table) || blocks === 'unknown')
    .filter(({ blocks, duration }) => blocks !== 'nothing' || duration !== 'moment');
}

/** Lower-case SQL without comments, string literals and function bodies. */
export function normalize(text: string): string {
  return text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
}
