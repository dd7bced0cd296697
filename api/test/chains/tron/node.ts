/** A node of TRON for tests: the paths of java-tron over one port, from the chain in memory. */
import type http from 'node:http';
import { serveBodies } from '../local-server.ts';
import { type Behaviour, honest } from './behaviour.ts';
import { type Block, Refused, type TronChain } from './chain.ts';
import { run, selector } from './contracts.ts';
import { answerJsonRpc } from './json-rpc.ts';
import { keys, overlay } from './ledger.ts';
import { printBlock, printHeader, printInfo, printTransaction } from './printing.ts';
import { decodeTransaction, type SignedTransaction, toHex } from './transactions.ts';
import { sha256 } from '../../../src/payments/chains/tron/block-proof.ts';

const BODIES_MAX = 100;

export interface TronNode {
  url: string;
  /** Changed by a test at any time. */
  behaviour: Behaviour;
  /** Paths, and methods of JSON-RPC. */
  calls: string[];
  /** Headers of the last request. */
  headers: http.IncomingHttpHeaders;
  close: () => Promise<void>;
}

type Input = Record<string, unknown>;
type Answer = (input: Input, maxHeight: number) => unknown;

export async function startTronNode(chain: TronChain, changes: Partial<Behaviour> = {}): Promise<TronNode> {
  const server = await serveBodies((request, body, response) => {
    node.headers = request.headers;
    respond(chain, node, new URL(request.url!, 'http://node'), body, response);
  });
  const node: TronNode = { ...server, behaviour: { ...honest(), ...changes }, calls: [], headers: {} };
  return node;
}

function respond(chain: TronChain, node: TronNode, url: URL, body: string, response: http.ServerResponse): void {
  const { behaviour, calls } = node;
  const { pathname } = url;
  const send = (status: number, type: string, text: string) =>
    void response.writeHead(status, { 'content-type': type }).end(text);
  if (behaviour.page === 'CLOSED') return void response.destroy();
  if (behaviour.page === 'HTML') return send(502, 'text/html', '<html><body>502 Bad Gateway</body></html>');
  if (behaviour.page === 'EMPTY') return send(200, 'application/json', '');
  if (behaviour.throttling === 'ERROR') {
    const message = 'class java.lang.IllegalAccessException : lack of computing resources';
    return send(200, 'application/json', JSON.stringify({ Error: message }));
  }
  if (behaviour.throttling === 'FORBIDDEN') {
    const message = 'The key exceeds the frequency limit(15), and the query server is suspended for 30s';
    return send(403, 'application/json', JSON.stringify({ Success: false, Error: message, StatusCode: 403 }));
  }
  if (behaviour.disabled.has(pathname)) return send(404, 'text/plain', 'this API is unavailable due to config');
  if (pathname === '/jsonrpc') {
    calls.push(methodOf(body));
    return send(200, 'application/json', answerJsonRpc(chain, behaviour, body));
  }
  calls.push(pathname);
  const answer = answerPath(chain, behaviour, pathname, readInput(url, body));
  if (answer === undefined) return send(404, 'text/html', '<html>Not Found</html>');
  if (typeof answer === 'string') return send(200, 'text/plain', answer);
  return send(200, 'application/json', JSON.stringify(answer));
}

function methodOf(body: string): string {
  const request = JSON.parse(body) as { method: string } | { method: string }[];
  return Array.isArray(request) ? request.map(({ method }) => method).join() : request.method;
}

const readInput = ({ searchParams }: URL, body: string): Input =>
  body === '' ? Object.fromEntries(searchParams) : (JSON.parse(body) as Input);

/** @returns a plain text as a string; undefined if there is no such path */
function answerPath(chain: TronChain, behaviour: Behaviour, pathname: string, input: Input): unknown {
  const [, root, name] = /^\/(wallet|walletsolidity)\/(\w+)$/.exec(pathname) ?? [];
  const answer = name && createAnswers(chain, behaviour)[name.toLowerCase()];
  if (!answer) return undefined;
  const headHeight = chain.head.height - behaviour.blocksBehind;
  const result = answer(input, root === 'wallet' ? headHeight : Math.min(headHeight, chain.solidHeight));
  return result === LITE ? 'this API is closed because this node is a lite fullnode' : (result ?? {});
}

const LITE = Symbol('a lite node does not have it');

const PARAMETERS = [
  { key: 'getTransactionFee', value: 1000 },
  { key: 'getEnergyFee', value: 100 },
  { key: 'getDynamicEnergyMaxFactor', value: 34_000 },
];

function createAnswers(chain: TronChain, behaviour: Behaviour): Record<string, Answer> {
  const { blocks } = chain;
  const print = (block: Block) => behaviour.changeBlock(printBlock(block));
  const findBlock = (wanted: unknown, maxHeight: number) => {
    const text = String(wanted);
    const block = text.length === 64 ? blocks.find(({ id }) => id === text) : blocks[Number(text)];
    return block && block.height <= maxHeight ? block : undefined;
  };
  const printOne = (block: Block | undefined, isDetailed: boolean) => {
    if (!block) return undefined;
    if (block.height < behaviour.firstHeight) return LITE;
    if (isDetailed) return print(block);
    const { transactions: _, ...header } = print(block) ?? printHeader(block);
    return header;
  };
  const constant: Answer = (input, maxHeight) => callConstant(chain, behaviour, input, maxHeight);
  const isReceived = (height: number, maxHeight: number) =>
    height <= maxHeight && height <= chain.head.height - behaviour.receiptsBehind;

  return {
    getnowblock: (_, maxHeight) => printOne(blocks[maxHeight], true),
    getblock: ({ id_or_num = maxHeightOf, detail = false }, maxHeight) =>
      printOne(findBlock(id_or_num === maxHeightOf ? maxHeight : id_or_num, maxHeight), detail === true),
    getblockbynum: ({ num }, maxHeight) => printOne(findBlock(num, maxHeight), true),
    getblockbylimitnext({ startNum, endNum }, maxHeight) {
      const [start, end] = [Number(startNum), Number(endNum)];
      if (!(end > start) || end - start > BODIES_MAX) return {};
      if (start < behaviour.firstHeight) return LITE;
      const printed = blocks.slice(start, Math.min(end, maxHeight + 1)).flatMap((block) => print(block) ?? []);
      return printed.length === 0 ? {} : { block: printed };
    },
    gettransactionbyid({ value }, maxHeight) {
      const found = chain.find(String(value));
      return found && found.block.height <= maxHeight
        ? printTransaction(found.block.transactions[found.index]!)
        : undefined;
    },
    gettransactioninfobyid({ value }, maxHeight) {
      const found = chain.find(String(value));
      if (!found || !isReceived(found.block.height, maxHeight)) return undefined;
      return behaviour.changeInfo(printInfo(found.block, found.executed));
    },
    gettransactioninfobyblocknum({ num }, maxHeight) {
      const block = findBlock(num, maxHeight);
      if (!block || !isReceived(block.height, maxHeight)) return [];
      return block.executions.map((executed) => behaviour.changeInfo(printInfo(block, executed)));
    },
    getaccount({ address }, maxHeight) {
      const values = chain.valuesAt(maxHeight);
      if (values.get(keys.account(String(address))) !== 1n) return undefined;
      const held = { asset: 'TRX', owner: String(address) } as const;
      const balance = Number(behaviour.changeBalance(values.get(keys.trx(String(address))), held));
      return { address, ...(balance > 0 && { balance }), create_time: chain.blocks[0]!.timeMs };
    },
    getaccountresource: ({ address }, maxHeight) =>
      chain.valuesAt(maxHeight).get(keys.account(String(address))) === 1n ? { freeNetLimit: 600 } : undefined,
    getchainparameters: () => ({ chainParameter: PARAMETERS }),
    triggerconstantcontract: constant,
    broadcasttransaction: (input) => accept(chain, input),
    broadcasthex({ transaction }) {
      const signed = decodeTransaction(Buffer.from(String(transaction), 'hex'));
      return acceptSigned(chain, signed);
    },
  };
}

/** No height was asked for. */
const maxHeightOf = Symbol('the newest block');

function callConstant(chain: TronChain, behaviour: Behaviour, input: Input, maxHeight: number): unknown {
  const { owner_address, contract_address, function_selector, parameter = '', data } = input;
  const contract = String(contract_address);
  if (!chain.programs.has(contract)) {
    const message = Buffer.from('Smart contract is not exist.').toString('hex');
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } };
  }
  const name = typeof function_selector === 'string' ? selector(function_selector) : '';
  const text = typeof data === 'string' ? data : name + String(parameter);
  const call = { caller: String(owner_address), contract, value: 0n, data: text };
  const { result, output } = run(chain.programs, overlay(chain.valuesAt(maxHeight)), call);
  if (result === 'SUCCESS') {
    const isBalance = function_selector === 'balanceOf(address)';
    const changed = isBalance
      ? behaviour
          .changeBalance(BigInt(`0x${output}`), { asset: 'USDT', owner: `41${String(parameter).slice(-40)}` })
          .toString(16)
          .padStart(64, '0')
      : output;
    return { result: { result: true }, energy_used: 935, constant_result: [changed], transaction: { ret: [{}] } };
  }
  // java-tron says true here, too.
  return {
    result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
    constant_result: [''],
    transaction: { ret: [{ ret: 'FAILED' }] },
  };
}

function accept(chain: TronChain, { raw_data_hex, txID, signature }: Input): unknown {
  const rawData = Buffer.from(String(raw_data_hex), 'hex');
  const id = toHex(sha256(rawData));
  const signatures = ((signature ?? []) as string[]).map((one) => Buffer.from(one, 'hex'));
  if (id !== txID) return refusal('SIGERROR', id, 'the id is not the hash of the transaction');
  return acceptSigned(chain, { id, rawData, signatures });
}

function acceptSigned(chain: TronChain, signed: SignedTransaction): unknown {
  try {
    chain.broadcast(signed);
    return { result: true, txid: signed.id };
  } catch (error) {
    if (error instanceof Refused) return refusal(error.code, signed.id, error.message);
    throw error;
  }
}

const refusal = (code: string, txid: string, message: string) => ({
  code,
  txid,
  message: Buffer.from(message).toString('hex'),
});
