/** The witness on the disk: a small file beside the database, which a restore of the database does not change. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const witnessSchema = z.object({
  writtenAt: z.iso.datetime(),
  /** The highest index of an address that was shown, by address space and fingerprint of the account. */
  shown: z.record(
    z.string(),
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(BigInt),
  ),
  /** The database that was last seen complete. */
  database: z
    .object({
      systemId: z.string(),
      timeline: z.int(),
      position: z.string().regex(/^[\dA-F]{1,8}\/[\dA-F]{1,8}$/),
    })
    .optional(),
  /** When another server or another history of it was noticed. */
  movedAt: z.iso.datetime().optional(),
});
export type Witness = z.output<typeof witnessSchema>;

/** What is known besides the indexes; what is left out stays as it was. */
type Surroundings = Partial<Pick<Witness, 'writtenAt' | 'database' | 'movedAt'>>;

/** @returns undefined if there is no file yet @throws Error with a sentence if it cannot be read or is damaged */
export async function readWitness(file: string): Promise<Witness | undefined> {
  const text = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return parseWitness(text);
  } catch {
    throw new Error(`${file} is damaged. If the database was never restored to an earlier time, delete the file.`);
  }
}

export function parseWitness(text: string): Witness {
  return witnessSchema.parse(JSON.parse(text));
}

export function toText({ shown, ...other }: Witness): string {
  const indexes = Object.entries(shown).map(([account, index]) => [account, String(index)]);
  return `${JSON.stringify({ ...other, shown: Object.fromEntries(indexes) }, undefined, 2)}\n`;
}

/** Writes of this process, one after another. */
let lastWrite: Promise<void> = Promise.resolve();

/** Adds to the witness what is higher than before. It is on the disk when this returns. */
export function addToWitness(
  file: string,
  shown: ReadonlyMap<string, bigint>,
  surroundings: Surroundings = {},
): Promise<void> {
  const write = addAfter(lastWrite, file, shown, surroundings);
  lastWrite = write.catch(() => {});
  return write;
}

async function addAfter(
  before: Promise<void>,
  file: string,
  shown: ReadonlyMap<string, bigint>,
  surroundings: Surroundings,
): Promise<void> {
  await before;
  const { shown: known, ...other } = (await readWitness(file)) ?? {};
  const merged = new Map(Object.entries(known ?? {}));
  for (const [account, index] of shown) if (index > (merged.get(account) ?? -1n)) merged.set(account, index);
  const writtenAt = new Date().toISOString();
  await replaceFile(file, toText({ ...other, writtenAt, ...surroundings, shown: Object.fromEntries(merged) }));
}

async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}`;
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(next, text, { mode: 0o600, flush: true });
  await fs.rename(next, file);
  const folder = await fs.open(path.dirname(file));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
