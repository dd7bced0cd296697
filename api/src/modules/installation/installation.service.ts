/** Whether the programs of this release may run on the database with their settings. docs/settings.md explains it to the operator. */
import { commandLine } from '@cellhop/contract/command-line';
import type { Ctx } from '../../ctx.ts';
import { describePending, listMigrations } from '../../db/migrate.ts';
import { releases } from '../../db/releases.ts';
import { deriveKeys, type SecretKeys } from '../../secrets/keys.ts';
import * as store from './installation.store.ts';

/** A program that may not run on its database, or not with its key. */
export class Mismatch extends Error {}

const fingerprintsOf = (keys: SecretKeys) => deriveKeys(keys, 'fingerprint');
const partsOf = (release: string) => release.split('.').map(Number);
const isOlder = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) < 0;

/** @throws Mismatch with a sentence for the operator */
export async function requireMatch(ctx: Ctx, limit: { responseTimeoutMs?: number } = {}): Promise<void> {
  const stored = await store.readInstallation(ctx, limit);
  const pending = (await listMigrations()).filter((name) => !stored?.migrations.includes(name));
  if (!stored || pending.length > 0) throw new Mismatch(describePending(pending));
  const oldest = stored.oldestRelease?.join('.');
  if (oldest !== undefined && isOlder(releases.own, oldest))
    throw new Mismatch(
      `The database has the schema of release ${stored.newestRelease?.join('.')}, on which no release before ${oldest} runs, and this is ` +
        `${releases.own}: start a newer one.`,
    );
  const { keyFingerprint } = stored;
  if (keyFingerprint !== null && !fingerprintsOf(ctx.config.secretKeys).some((each) => each.equals(keyFingerprint)))
    throw new Mismatch(
      'SECRET_KEY does not contain the key of this database, so stored passwords and second factors could not be read. Set that key, alone or after a ' +
        `new one and a comma. If it is lost for good: ${commandLine('replace-key')}`,
    );
}

/** Records that this release has started on the database; the first one with its key. */
export async function recordStart(ctx: Ctx): Promise<void> {
  const [fingerprint] = fingerprintsOf(ctx.config.secretKeys);
  await store.saveStart(ctx, partsOf(releases.oldest), partsOf(releases.own), fingerprint);
}

/** From now on the newest key of the setting is that of the database. */
export async function recordKey(ctx: Ctx): Promise<void> {
  const [fingerprint] = fingerprintsOf(ctx.config.secretKeys);
  await store.saveKey(ctx, fingerprint);
}
