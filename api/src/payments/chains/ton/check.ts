/** Whether a source of TON serves everything that the watcher will ask for. */
import { find } from '../findings.ts';
import type { SourceFinding } from '../watcher.ts';
import { toAccount } from './jetton-wallet.ts';
import type { Jetton } from './jetton.ts';
import { failOf, type MasterBlock, type TonSource } from './source.ts';
import { findOtherWallet } from './token-check.ts';

const HOUR_MS = 3_600_000;

/** @param readHead as the watcher does it at each poll */
export async function checkTonSource(
  source: TonSource,
  jetton: Jetton,
  readHead: () => Promise<MasterBlock>,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const { name } = source.transport;
  let head: MasterBlock | undefined;
  const newest = await find({ source: name, need: 'newest block' }, async () => {
    head = await readHead();
    return `block ${head.seqno} of ${head.time.toISOString()}`;
  });
  if (!head) return [newest];
  const { seqno, time } = head;
  const ask = (need: string, run: () => Promise<string>, isRequired = true) =>
    find({ source: name, need, isRequired }, run);
  const master = toAccount(jetton.master);
  const findings = [
    newest,
    await ask('older blocks', async () => {
      const before = await source.blockAt(new Date(time.getTime() - HOUR_MS), signal);
      if (before) return `block ${before.seqno}`;
      throw failOf(source, 'PRUNED', `has no block before the last hour, the newest is ${seqno}`);
    }),
    await ask('whole transactions and states', () => checkTransaction(source, master, signal)),
  ];
  if (source.index) {
    findings.push(
      await ask('index of transactions', async () => {
        const range = { from: new Date(time.getTime() - HOUR_MS), to: time };
        const found = await source.index!.transactions([`0:${'11'.repeat(32)}`], range, signal);
        return `${found.length} transactions of an unused address`;
      }),
    );
  }
  const token = await ask(
    'wallets of USDT',
    async () => {
      const problem = await findOtherWallet(source, jetton, signal);
      if (problem !== undefined) throw failOf(source, 'INVALID_RESPONSE', `says: ${problem}`);
      return 'as derived';
    },
    false,
  );
  return [...findings, token];
}

/** The issuer's contract has transactions all the time. */
async function checkTransaction(source: TonSource, account: string, signal: AbortSignal): Promise<string> {
  const state = (await source.states([account], signal)).get(account);
  if (!state?.last) throw failOf(source, 'INVALID_RESPONSE', 'knows no transaction of the contract of USDT');
  const transaction = await source.transaction({ account, ...state.last }, signal);
  if (transaction?.hash === state.last.hash)
    return `the last one of the contract of USDT is of ${transaction.time.toISOString()}`;
  throw failOf(source, 'PRUNED', 'does not have the last transaction of the contract of USDT');
}
