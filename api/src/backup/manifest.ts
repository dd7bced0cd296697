/** What a backup says about itself: a file beside the dump, written last, so that a backup without one is not complete. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { deriveKey, deriveKeys, type SecretKeys } from '../secrets/keys.ts';

const contentSchema = z.object({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  release: z.string(),
  /** The applied migrations, in order. */
  migrations: z.array(z.string()),
  /** Rows by table. */
  counts: z.record(z.string(), z.int().nonnegative()),
  keys: z.object({
    /** Of the key that the database was made with, hex. */
    secret: z.string(),
    /** Of the wallet accounts, by address space. */
    accounts: z.array(z.string()),
  }),
  dump: z.object({
    /** The name of the file beside this one. */
    file: z.string().regex(/^[\w.-]+$/),
    sha256: z.string(),
    isEncrypted: z.boolean(),
  }),
});
export type Manifest = z.output<typeof contentSchema>;
const fileSchema = z.object({ content: z.string(), mac: z.string() });

const MAC_KEY = 'backup manifest';
const FINGERPRINT = 'fingerprint';

export const fingerprintOf = (keys: SecretKeys): string => deriveKey(keys, FINGERPRINT).toString('hex');

const toMac = (key: Buffer, content: string) => createHmac('sha256', key).update(content).digest();

export function writeManifest(keys: SecretKeys, manifest: Manifest): string {
  const content = JSON.stringify(manifest);
  const mac = toMac(deriveKey(keys, MAC_KEY), content).toString('hex');
  return `${JSON.stringify({ content, mac })}\n`;
}

/** @throws Error with a sentence if it is damaged, or of an installation with other keys */
export async function readManifest(keys: SecretKeys, file: string): Promise<Manifest> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  let stored: z.output<typeof fileSchema>;
  let manifest: Manifest;
  try {
    stored = fileSchema.parse(JSON.parse(text));
    manifest = contentSchema.parse(JSON.parse(stored.content));
  } catch {
    throw new Error(
      `${file} is damaged, or is no manifest of a backup (its name ends with .json): take another backup.`,
    );
  }
  const known = deriveKeys(keys, FINGERPRINT).map((each) => each.toString('hex'));
  if (!known.includes(manifest.keys.secret))
    throw new Error(
      'This backup was made with another SECRET_KEY: set the key of that installation, alone or after a new one and a comma.',
    );
  const mac = Buffer.from(stored.mac, 'hex');
  const isOurs = deriveKeys(keys, MAC_KEY).some((key) => {
    const expected = toMac(key, stored.content);
    return expected.length === mac.length && timingSafeEqual(expected, mac);
  });
  if (!isOurs) throw new Error(`${file} was changed after it had been written: take another backup.`);
  return manifest;
}

export function dumpOf(manifestFile: string, { dump }: Manifest): string {
  return path.join(path.dirname(manifestFile), dump.file);
}

/** @throws Error with a sentence if the dump is missing, cut or changed */
export async function requireUnchanged(manifestFile: string, manifest: Manifest): Promise<void> {
  const file = dumpOf(manifestFile, manifest);
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (hash.digest('hex') !== manifest.dump.sha256)
    throw new Error(`${file} is not the file that was written, a byte of it has changed: take another backup.`);
}
