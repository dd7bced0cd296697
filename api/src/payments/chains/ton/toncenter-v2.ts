/**
 * Version 2 of toncenter (ton-http-api), which operators can run themselves: it has no index, but its answers are a node's. A transaction is
 * served as a whole, so that its hash proves every field of it.
 */
import { Address, beginCell } from '@ton/core';
import { z } from 'zod';
import { NO_SERVER, speakHttpJson } from '../http-json.ts';
import type { HttpTransport } from '../http-transport.ts';
import { SourceRefusal } from '../refusals.ts';
import { big, cell, globalId, hash, seconds, seqno } from './answers.ts';
import { toAccount } from './jetton-wallet.ts';
import { createPacer, requestsAside } from './pacer.ts';
import { type AccountState, failOf, type MasterBlock, type TonSource } from './source.ts';
import { parseTransaction } from './transaction.ts';

const MASTERCHAIN = { workchain: -1, shard: '-9223372036854775808' };
/** Of a node that does not have what was asked for, or not yet. */
const NOT_FOUND_MESSAGE = /not in db|cannot (?:locate|find|load)|not found|NOTREADY/i;

const statuses = { active: 'ACTIVE', frozen: 'FROZEN', uninitialized: 'UNINITIALIZED' } as const;

const blockId = z.object({ seqno, root_hash: hash });
const resultOf = <Result extends z.ZodType>(result: Result) => z.object({ ok: z.literal(true), result });
const info = resultOf(z.object({ last: blockId }));
const header = resultOf(z.object({ id: blockId, global_id: globalId, gen_utime: seconds, start_lt: big }));
const foundBlock = resultOf(blockId);
const transactions = resultOf(z.array(z.object({ data: cell })));
const information = resultOf(
  z.object({
    balance: big,
    data: z.string(),
    state: z.enum(['active', 'frozen', 'uninitialized']),
    last_transaction_id: z.object({ lt: big, hash }),
  }),
);
const methodResult = resultOf(
  z.object({
    exit_code: z.number().int(),
    stack: z.array(z.tuple([z.string(), z.object({ bytes: cell }).optional().catch(undefined)])),
  }),
);

export function createV2Source(transport: HttpTransport, requestsPerSecond: number): TonSource {
  const http = speakHttpJson(transport);
  const pace = createPacer(requestsPerSecond);
  const get: typeof http.get = async (path, query, schema, signal) => {
    await pace(signal);
    return http.get(path, query, schema, signal);
  };
  const block = async (wanted: number, signal: AbortSignal): Promise<MasterBlock | undefined> => {
    const answer = await orNone(get('/getBlockHeader', { ...MASTERCHAIN, seqno: wanted }, header, signal));
    if (!answer) return undefined;
    const { id, global_id, gen_utime, start_lt } = answer.result;
    return { seqno: id.seqno, rootHash: id.root_hash, time: gen_utime, startLt: start_lt, globalId: global_id };
  };
  const source: TonSource = {
    transport,
    index: undefined,
    readsStatesTogether: false,
    statesPerPoll: requestsAside(requestsPerSecond),
    transactionsPerPoll: requestsAside(requestsPerSecond),
    block,
    async head(signal) {
      const { last } = (await get('/getMasterchainInfo', {}, info, signal)).result;
      const head = await block(last.seqno, signal);
      if (head?.seqno === last.seqno) return head;
      throw failOf(source, 'LAGGING', `does not have its newest block ${last.seqno}`);
    },
    async blockAt(time, signal) {
      const query = { ...MASTERCHAIN, unixtime: Math.floor(time.getTime() / 1000) };
      const found = await orNone(get('/lookupBlock', query, foundBlock, signal));
      return found && block(found.result.seqno, signal);
    },
    async transaction({ account, lt, hash }, signal) {
      const query = { address: account, lt: String(lt), hash: Buffer.from(hash, 'hex').toString('base64'), limit: 1 };
      const ask = async (more: object) =>
        (await orNone(get('/getTransactions', { ...query, ...more }, transactions, signal)))?.result[0];
      // Python's asks an archival server only if it is told to. The one in C++ does by itself, and refuses the word if it has none.
      const found = (await ask({})) ?? (await ask({ archival: 'true' }).catch(ignoreNoServer));
      const whole = found?.data;
      // A whole transaction is the one that was asked for, or it is not; other fields of the answer prove nothing.
      if (whole && whole.hash().toString('hex') !== hash)
        throw failOf(source, 'INVALID_RESPONSE', `sent another transaction instead of ${hash}`);
      try {
        return whole && parseTransaction(whole);
      } catch {
        throw failOf(source, 'INVALID_RESPONSE', `sent a transaction that cannot be read: ${hash}`);
      }
    },
    async states(accounts, signal) {
      const found = new Map<string, AccountState>();
      for (const address of accounts)
        found.set(address, toState(await get('/getAddressInformation', { address }, information, signal)));
      return found;
    },
    async walletOf(master, owner, signal) {
      const slice = beginCell().storeAddress(Address.parse(owner)).endCell().toBoc().toString('base64');
      const body = { address: master, method: 'get_wallet_address', stack: [['tvm.Slice', slice]] };
      await pace(signal);
      const { exit_code, stack } = (await http.post('/runGetMethod', body, methodResult, signal)).result;
      const address = exit_code === 0 ? stack[0]?.[1]?.bytes.beginParse().loadMaybeAddress() : undefined;
      return address ? toAccount(address.toRawString()) : undefined;
    },
    async send(boc, signal) {
      await pace(signal);
      await http.post('/sendBoc', { boc }, resultOf(z.unknown()), signal);
    },
  };
  return source;
}

function toState({ result }: z.output<typeof information>): AccountState {
  const { balance, data, state, last_transaction_id: last } = result;
  return {
    balance,
    status: statuses[state],
    data: data === '' ? undefined : data,
    last: last.lt > 0n ? last : undefined,
  };
}

function ignoreNoServer(error: unknown): undefined {
  if (!(error instanceof SourceRefusal && error.code === NO_SERVER)) throw error;
}

async function orNone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof SourceRefusal && NOT_FOUND_MESSAGE.test(error.message)) return undefined;
    throw error;
  });
}
