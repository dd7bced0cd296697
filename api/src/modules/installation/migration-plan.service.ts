/** What `cellhop migrate` would do to the database, for the operator who asks before an upgrade. */
import { readFile } from 'node:fs/promises';
import type { Ctx } from '../../ctx.ts';
import { LOCK_TIMEOUT_MS, listPending } from '../../db/migrate.ts';
import { type Effect, findEffects } from '../../db/migration-statements.ts';
import { releases } from '../../db/releases.ts';
import { packagePath } from '../../process/package-path.ts';
import * as store from './installation.store.ts';

const BLOCKED = {
  nothing: 'blocks nothing',
  writes: 'blocks writes',
  everything: 'blocks everything',
  'changed rows': 'blocks writes to rows that it changes',
  unknown: 'blocks what its statements do not tell',
} satisfies Record<Effect['blocks'], string>;
const DURATIONS = {
  moment: 'for a moment',
  read: 'while it reads all of it',
  write: 'until it is written',
} satisfies Record<Effect['duration'], string>;

/** @returns lines for the operator. Changes nothing */
export async function planMigration(ctx: Ctx): Promise<string> {
  const pending = await listPending(ctx.config.databaseUrl);
  if (pending.length === 0) return 'Nothing is to be done: the database has the schema of this release.';
  const migrations = pending.filter((name) => name.endsWith('.sql'));
  const texts = pending.filter((name) => !name.endsWith('.sql'));
  const installation = await store.readInstallation(ctx, {});
  const lines = [
    `${pending.length} changes are to be made. Each waits at most ${LOCK_TIMEOUT_MS / 1000} s at a time for its locks, while others wait behind it:`,
  ];
  for (const name of migrations) lines.push(`  ${name}`, ...(await describeMigration(ctx, name)));
  if (texts.length > 0) lines.push(`  functions and views, replaced in a moment: ${texts.join(', ')}`);
  return [...lines, describeReleases(installation?.newestRelease?.join('.'))].join('\n');
}

async function describeMigration(ctx: Ctx, name: string): Promise<string[]> {
  const effects = findEffects(await readFile(packagePath(`migrations/${name}`), 'utf8'));
  const lines = [];
  for (const { table, blocks, duration } of effects) {
    const size = table === undefined || duration === 'moment' ? undefined : await store.readTableSize(ctx, table);
    const place = table === undefined ? '' : `${table}: `;
    const measured = size === undefined ? '' : ` (about ${size.rows} rows, ${size.megabytes} MB)`;
    lines.push(`    ${place}${BLOCKED[blocks]} ${DURATIONS[duration]}${measured}`);
  }
  return [...new Set(lines.length > 0 ? lines : ['    blocks nothing'])];
}

/** The test of migrations keeps what the previous release needs, and no other. @param running undefined: none has started */
function describeReleases(running: string | undefined): string {
  const isTooOld = running !== undefined && running.localeCompare(releases.oldest, 'en', { numeric: true }) < 0;
  return isTooOld
    ? `Release ${running}, the newest that has run on this database, stops working: upgrade to ${releases.oldest} first.`
    : `Afterwards releases from ${releases.oldest} on run on the database, so the one before this still works${
        running === undefined
          ? '. Which one runs now is not recorded'
          : ` (${running} is the newest that has run on it)`
      }.`;
}
