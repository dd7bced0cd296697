/** Paths of version 3 of toncenter (ton-indexer): an index of all transactions, with pages. */
import { Address, Cell } from '@ton/core';
import type { Behaviour } from './behaviour.ts';
import type { Answers } from './facade.ts';
import { Refused } from './refused.ts';
import type { Block, MinedTransaction, TonChain } from './ton-chain.ts';
import { printBlock, printState, printTransaction } from './v3-printing.ts';

const LIMIT_MAX = 1000;
const LIMIT_DEFAULT = 10;

export function answersOfV3(chain: TonChain, behaviour: Behaviour): Answers {
  const blocks = () => chain.blocks.slice(0, chain.blocks.length - behaviour.blocksBehind);
  const print = (block: Block) => printBlock(block, behaviour.globalId, behaviour.changeRootHash(block.rootHash));
  return {
    '/masterchainInfo': () => ({ last: print(blocks().at(-1)!), first: print(chain.blocks[0]!) }),

    '/blocks'(query) {
      const isWanted = (block: Block) =>
        matches(query.get('seqno'), block.seqno) &&
        block.time >= Number(query.get('start_utime') ?? 0) &&
        block.time <= Number(query.get('end_utime') ?? Infinity);
      return { blocks: page(query, sort(query, blocks().filter(isWanted))).map(print) };
    },

    '/transactions': (query) => listTransactions(chain, behaviour, blocks().at(-1)!.seqno, query),
    '/accountStates': (query) => listStates(chain, behaviour, query),

    async '/runGetMethod'(_query, body) {
      const { address, method, stack } = body as { address: string; method: string; stack: { value: string }[] };
      const { exitCode, stack: result } = await runMethod(chain, address, method, stack[0]!.value);
      const printed = result.map((cell) => ({
        type: 'cell',
        value: behaviour.changeWallet(cell).toBoc().toString('base64'),
      }));
      return { gas_used: 1000, exit_code: exitCode, stack: printed };
    },

    async '/message'(_query, body) {
      const [transaction] = await post(chain, (body as { boc: string }).boc);
      return { message_hash: transaction!.inMessage!.body.hash().toString('base64') };
    },
  };
}

function listTransactions(chain: TonChain, behaviour: Behaviour, newest: number, query: URLSearchParams) {
  behaviour.beforePage(Number(query.get('offset') ?? 0));
  const accounts = new Set(query.getAll('account').map(toRaw));
  if (accounts.size > behaviour.accountsMax) throw new Refused(414, 'URI Too Long');
  const isWanted = (one: MinedTransaction) =>
    one.block.seqno <= newest &&
    !behaviour.lacks(one) &&
    (accounts.size === 0 || accounts.has(one.account)) &&
    matches(query.get('hash'), one.transaction.hash().toString('base64')) &&
    one.transaction.now >= Number(query.get('start_utime') ?? 0) &&
    one.transaction.now <= Number(query.get('end_utime') ?? Infinity);
  const found = chain.transactions.filter(isWanted).sort(byLt);
  const shown = page(query, sort(query, found)).slice(0, behaviour.pageMax);
  const transactions = shown.map((one) => behaviour.changeTransaction(printTransaction(one), one));
  return { transactions, address_book: {} };
}

function listStates(chain: TonChain, behaviour: Behaviour, query: URLSearchParams) {
  const accounts = query.getAll('address').map(toRaw);
  if (accounts.length > behaviour.accountsMax) throw new Refused(414, 'URI Too Long');
  const isComplete = query.get('include_boc') !== 'false';
  const states = accounts.map((account) => {
    const state = { ...chain.stateOf(account) };
    if (behaviour.hasOldStates) state.last = undefined;
    const printed = printState(account, { ...state, balance: behaviour.changeBalance(state.balance) }, isComplete);
    return { ...printed, status: behaviour.changeStatus(printed.status) };
  });
  return { accounts: states, address_book: {}, metadata: {} };
}

export async function runMethod(chain: TonChain, address: string, method: string, slice: string) {
  const argument = { type: 'slice' as const, cell: Cell.fromBase64(slice) };
  try {
    const { exitCode, stack } = await chain.blockchain.runGetMethod(Address.parse(address), method, [argument]);
    return { exitCode, stack: stack.flatMap((item) => ('cell' in item ? [item.cell] : [])) };
  } catch (error) {
    const { exitCode } = error as { exitCode?: number };
    if (exitCode === undefined) throw error;
    return { exitCode, stack: [] };
  }
}

/** @throws Refused as toncenter, if no contract accepts the message */
export async function post(chain: TonChain, boc: string) {
  try {
    return await chain.post(Cell.fromBase64(boc));
  } catch (error) {
    const { exitCode } = error as { exitCode?: number };
    const transaction = 'E4CA80FF6500B55E97E788DBEF5E134466D9949545B7E4C84700F22A8168EC17';
    const reason = `inbound external message rejected by transaction ${transaction}:\nexitcode=${exitCode ?? -14}, steps=23, gas_used=0`;
    const refusal = `External message was not accepted: cannot run message on account: ${reason}\nVM Log (truncated):\n...`;
    throw new Refused(500, `LITE_SERVER_UNKNOWN: cannot apply external message to current state : ${refusal}`);
  }
}

export const toRaw = (address: string): string => {
  try {
    return Address.parse(address).toRawString();
  } catch {
    throw new Refused(422, `failed to parse account address: ${address}`);
  }
};

const byLt = (a: MinedTransaction, b: MinedTransaction): number => Number(a.transaction.lt - b.transaction.lt);

const matches = (wanted: string | null, value: string | number): boolean => wanted === null || wanted === String(value);

/** Ascending items; the default order is descending. */
function sort<Item>(query: URLSearchParams, items: Item[]): Item[] {
  return query.get('sort') === 'asc' ? items : items.toReversed();
}

function page<Item>(query: URLSearchParams, items: Item[]): Item[] {
  const limit = Number(query.get('limit') ?? LIMIT_DEFAULT);
  if (limit > LIMIT_MAX) throw new Refused(422, `limit is not allowed: ${limit}`);
  const offset = Number(query.get('offset') ?? 0);
  return items.slice(offset, offset + limit);
}
