/** Runs the signing of the offline program with a list, and reads what it has signed. */
import { runOffline } from '../src/payments/offline/program.ts';
import type { HoldingsFile } from '../src/payments/holdings-file.ts';
import { readSigned } from '../src/payments/sweep/read-signed.ts';
import { signedFileSchema } from '../src/payments/sweep/signed-file.ts';
import type { SentSweep } from '../src/payments/sweep/sweep-source.ts';
import { LISTED_AT } from './holdings.ts';
import { createOfflineMachine, SEED_WORDS, TON_WORDS } from './offline-machine.ts';

export interface Signing {
  screen: string;
  sweeps: SentSweep[];
  /** The file that goes to the server. */
  file: string;
}

/** @param answers what is typed after the seed words and the empty passphrase: one after the other, or to each prompt. A list of TON alone has no passphrase. */
export async function signList(
  list: HoldingsFile | string | Uint8Array,
  answers: readonly string[] | ((prompt: string) => string),
  now = new Date(LISTED_AT.getTime() + 3_600_000),
): Promise<Signing> {
  const holdings = typeof list === 'string' || list instanceof Uint8Array ? list : JSON.stringify(list);
  const typed = typeof answers === 'function' ? withSecrets(answers) : [...secretsFor(list), ...answers];
  const offline = createOfflineMachine({ typed, files: { 'holdings.json': holdings }, now });
  await runOffline(offline.machine, ['sign', 'holdings.json', 'signed.json']);
  const left = offline.left();
  if (left.length > 0) throw new Error(`not asked for: ${left.join(', ')}`);
  const file = String(offline.files.get('signed.json'));
  const { transactions } = signedFileSchema.parse(JSON.parse(file));
  const sweeps = transactions.map(({ chain, raw }) => ({ ...readSigned[chain](raw), raw }));
  return { screen: offline.screen(), sweeps, file };
}

const secretsFor = (list: HoldingsFile | string | Uint8Array): string[] =>
  isOfTon(list) ? [TON_WORDS] : [SEED_WORDS, ''];

const isOfTon = (list: HoldingsFile | string | Uint8Array): boolean =>
  typeof list === 'object' && 'chains' in list && list.chains.every(({ chain }) => chain === 'ton');

const withSecrets = (answer: (prompt: string) => string) => (prompt: string) => {
  if (prompt.startsWith('Seed words of TON')) return TON_WORDS;
  if (prompt.startsWith('Seed words')) return SEED_WORDS;
  return prompt.startsWith('Passphrase') ? '' : answer(prompt);
};
