/** Paths of version 2 of toncenter (ton-http-api): a node's answers, with whole transactions. */
import type { Behaviour } from './behaviour.ts';
import type { Answers } from './facade.ts';
import { Refused } from './refused.ts';
import type { Block, MinedTransaction, TonChain } from './ton-chain.ts';
import { post, runMethod, toRaw } from './v3.ts';

const MASTERCHAIN_SHARD = '-9223372036854775808';
const statuses = { active: 'active', uninit: 'uninitialized', nonexist: 'uninitialized' } as const;

/** @param behaviour the facade puts each result into `{ ok, result }` */
export function answersOfV2(chain: TonChain, behaviour: Behaviour): Answers {
  const blocks = () => chain.blocks.slice(0, chain.blocks.length - behaviour.blocksBehind);
  const printId = ({ seqno, rootHash }: Block) => ({
    '@type': 'ton.blockIdExt',
    workchain: -1,
    shard: MASTERCHAIN_SHARD,
    seqno,
    root_hash: behaviour.changeRootHash(rootHash).toString('base64'),
    file_hash: rootHash.toString('base64'),
  });
  const findBlock = (query: URLSearchParams): Block => {
    const [seqno, time] = [query.get('seqno'), query.get('unixtime')];
    const found = seqno
      ? blocks().find((block) => String(block.seqno) === seqno)
      : blocks().findLast((block) => block.time <= Number(time));
    if (!found) throw new Refused(500, 'LITE_SERVER_NOTREADY: seqno not in db');
    return found;
  };
  return {
    '/getMasterchainInfo': () => ({ '@type': 'blocks.masterchainInfo', last: printId(blocks().at(-1)!) }),
    '/lookupBlock': (query) => printId(findBlock(query)),

    '/getBlockHeader'(query) {
      const block = findBlock(query);
      const { time, startLt } = block;
      return { id: printId(block), global_id: behaviour.globalId, gen_utime: time, start_lt: String(startLt) };
    },

    '/getTransactions': (query) => listTransactions(chain, behaviour, blocks().at(-1)!.seqno, query),

    '/getAddressInformation'(query) {
      const { balance, status, data, code, last } = chain.stateOf(toRaw(query.get('address')!));
      const named = behaviour.hasOldStates ? undefined : last;
      return {
        '@type': 'raw.fullAccountState',
        balance: String(behaviour.changeBalance(balance)),
        code: code?.toBoc().toString('base64') ?? '',
        data: data?.toBoc().toString('base64') ?? '',
        state: behaviour.changeStatus(statuses[status]),
        last_transaction_id: { lt: String(named?.lt ?? 0), hash: (named?.hash ?? Buffer.alloc(32)).toString('base64') },
      };
    },

    async '/runGetMethod'(_query, body) {
      const { address, method, stack } = body as { address: string; method: string; stack: [string, string][] };
      const { exitCode, stack: result } = await runMethod(chain, address, method, stack[0]![1]);
      const printed = result.map((cell) => [
        'cell',
        { bytes: behaviour.changeWallet(cell).toBoc().toString('base64') },
      ]);
      return { '@type': 'smc.runResult', gas_used: 1000, exit_code: exitCode, stack: printed };
    },

    async '/sendBoc'(_query, body) {
      await post(chain, (body as { boc: string }).boc);
      return { '@type': 'ok' };
    },
  };
}

function listTransactions(chain: TonChain, behaviour: Behaviour, newest: number, query: URLSearchParams) {
  const account = toRaw(query.get('address')!);
  if (behaviour.hasNoArchival && query.get('archival') === 'true')
    throw new Refused(542, 'no workers available ({.mode=Single, .archival=true})');
  if (behaviour.needsArchival && query.get('archival') !== 'true')
    throw new Refused(500, 'LITE_SERVER_UNKNOWN: cannot locate transaction in block with specified logical time');
  const isShown = (one: MinedTransaction) =>
    one.account === account && one.block.seqno <= newest && !behaviour.lacks(one);
  const all = chain.transactions.filter(isShown);
  const from = all.findIndex(({ transaction }) => String(transaction.lt) === query.get('lt'));
  if (from === -1) throw new Refused(500, 'LITE_SERVER_UNKNOWN: lt not in db');
  const wanted = all.slice(0, from + 1).toReversed();
  return wanted.slice(0, Number(query.get('limit') ?? 10)).map(({ transaction: { raw, lt, now } }) => ({
    '@type': 'raw.transaction',
    utime: now,
    data: behaviour.changeCell(raw).toBoc().toString('base64'),
    transaction_id: { lt: String(lt), hash: raw.hash().toString('base64') },
  }));
}
