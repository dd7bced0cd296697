/** `/jsonrpc` of java-tron: a part of Ethereum's interface, with its own limits and refusals. */
import { Refusal } from '../fake-node.ts';
import type { Behaviour } from './behaviour.ts';
import type { TronChain } from './chain.ts';
import { run } from './contracts.ts';
import { keys, overlay } from './ledger.ts';
import { printLogs, type PrintedLog, quantity } from './printing.ts';

const TOPICS_MAX = 1000;
const BATCH_MAX = 100;
const INVALID_PARAMS = -32602;

interface Filter {
  fromBlock: string;
  toBlock: string;
  address?: string | string[];
  topics?: (string | string[] | null)[];
}

interface Request {
  id: unknown;
  method: string;
  params: never[];
}

export function answerJsonRpc(chain: TronChain, behaviour: Behaviour, body: string): string {
  const request = JSON.parse(body) as Request | Request[];
  if (!Array.isArray(request)) return JSON.stringify(answer(chain, behaviour, request));
  if (request.length > BATCH_MAX) {
    const error = { code: -32005, message: `Batch size ${request.length} exceeds the limit of ${BATCH_MAX}` };
    return JSON.stringify({ jsonrpc: '2.0', id: null, error });
  }
  return JSON.stringify(request.map((one) => answer(chain, behaviour, one)));
}

function answer(chain: TronChain, behaviour: Behaviour, { id, method, params }: Request) {
  const methods = createMethods(chain, behaviour);
  try {
    const run = (methods as Record<string, ((...params: never[]) => unknown) | undefined>)[method];
    if (!run) throw new Refusal(-32601, 'method not found');
    return { jsonrpc: '2.0', id, result: run(...params) };
  } catch (error) {
    const { code = -32000, message } = error as Partial<Refusal>;
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}

function requireLatest(tag: string): void {
  if (tag !== 'latest') throw new Refusal(INVALID_PARAMS, 'QUANTITY not supported, just support TAG as latest');
}

function createMethods(chain: TronChain, behaviour: Behaviour) {
  const headHeight = chain.head.height - behaviour.blocksBehind;
  const heightOf = (tag: string): number => {
    if (tag === 'latest') return headHeight;
    if (tag === 'earliest') return 0;
    if (tag === 'finalized') return Math.min(chain.solidHeight, headHeight);
    if (!/^0x[0-9a-f]+$/i.test(tag)) throw new Refusal(INVALID_PARAMS, 'TAG [safe | pending] not supported');
    return Number(tag);
  };
  const isIndexed = (height: number) =>
    height <= headHeight - behaviour.receiptsBehind && !behaviour.lacksLogsOf(height);

  return {
    eth_chainId: () => quantity(behaviour.chainId),
    eth_blockNumber: () => quantity(headHeight),
    eth_getLogs(filter: Filter) {
      const [from, to] = [heightOf(filter.fromBlock), Math.min(heightOf(filter.toBlock), headHeight)];
      if (to - from + 1 > behaviour.logHeightsMax)
        throw new Refusal(INVALID_PARAMS, `exceed max block range: ${behaviour.logHeightsMax}`);
      if ((filter.topics ?? []).flat().length > TOPICS_MAX)
        throw new Refusal(INVALID_PARAMS, `exceed max topics: ${TOPICS_MAX}`);
      const blocks = chain.blocks.slice(from, to + 1).filter(({ height }) => isIndexed(height));
      return behaviour.changeLogs(blocks.flatMap(printLogs).filter((log) => matches(log, filter)));
    },
    eth_getTransactionReceipt(transactionHash: string) {
      const found = chain.find(transactionHash.slice(2));
      if (!found || !isIndexed(found.block.height)) return null;
      const own = printLogs(found.block).filter((log) => log.transactionHash === transactionHash);
      const logs = behaviour.changeReceipt(own);
      if (!logs) return null;
      return {
        blockHash: `0x${found.block.id}`,
        blockNumber: quantity(found.block.height),
        transactionHash,
        transactionIndex: quantity(found.index),
        status: quantity(found.executed.result === 'SUCCESS' ? 1 : 0),
        gasUsed: quantity(found.executed.energy),
        effectiveGasPrice: '0x64',
        logs,
      };
    },
    eth_getBalance(owner: string, tag: string) {
      requireLatest(tag);
      const address = `41${owner.slice(2)}`;
      const balance = chain.valuesAt(headHeight).get(keys.trx(address));
      return quantity(behaviour.changeBalance(balance, { asset: 'TRX', owner: address }));
    },
    eth_call({ to, data }: { to: string; data: string }, tag: string) {
      requireLatest(tag);
      const call = { caller: chain.bank.address, contract: `41${to.slice(2)}`, value: 0n, data: data.slice(2) };
      const { result, output } = run(chain.programs, overlay(chain.valuesAt(headHeight)), call);
      if (result !== 'SUCCESS') throw new Refusal(-32000, 'REVERT opcode executed');
      return `0x${output}`;
    },
  };
}

function matches({ address, topics }: PrintedLog, filter: Filter): boolean {
  const addresses = [filter.address ?? []].flat().map((one) => one.toLowerCase());
  if (addresses.length > 0 && !addresses.includes(address)) return false;
  return (filter.topics ?? []).every((wanted, index) => {
    if (wanted === null) return true;
    return [wanted].flat().some((topic) => topic.toLowerCase() === topics[index]);
  });
}
