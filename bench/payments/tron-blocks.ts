/** Blocks of TRON as large as those of the main network, made in advance and served as text: a bench must not measure their making. */
import { MAINNET_CHAIN_ID } from '../../api/src/payments/chains/tron/network.ts';
import { merkleRoot, sha256 } from '../../api/src/payments/chains/tron/block-proof.ts';
import { bytesField, integerField } from '../../api/src/payments/chains/tron/protobuf.ts';
import { TRANSFER_TOPIC } from '../../api/src/payments/chains/evm-node.ts';
import { serveBodies } from '../../api/test/chains/local-server.ts';
import { printTransaction } from '../../api/test/chains/tron/printing.ts';
import { encodeRawData, encodeTransaction, type Contract } from '../../api/test/chains/tron/transactions.ts';
import { encode } from '../../api/test/chains/tron/contracts.ts';
import { randomBytes } from 'node:crypto';

const BLOCK_MS = 3000;
const SOLID_BEHIND = 18;
const USDT = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';

export interface TronBlocks {
  /** Distinct lists of transactions, of which each block has one. */
  prepared: number;
  transactionsPerBlock: number;
  startHeight: number;
  blocks: number;
  /** 21 bytes in hexadecimal digits. One block in `blocksPerPayment` pays one of them. */
  paid: readonly string[];
  blocksPerPayment: number;
}

interface Prepared {
  root: Uint8Array;
  /** JSON of the list. */
  text: string;
}

/** Two nodes of the same blocks; `advance` moves their head to the end. */
export async function listenAsTron(settings: TronBlocks): Promise<{ urls: string[]; advance: () => void }> {
  const { prepared, startHeight, blocks, paid, blocksPerPayment } = settings;
  const lists = Array.from({ length: prepared }, () => prepare(settings, []));
  const paying = paid.map((to) => prepare(settings, [{ kind: 'TRX', owner: anyAddress(), to, units: 1n }]));
  const startMs = Date.now() - blocks * BLOCK_MS;
  let previousId = '00'.repeat(32);
  const first = startHeight - SOLID_BEHIND - 20;
  const texts: { header: string; whole: string }[] = [];
  for (let height = first; height <= startHeight + blocks; height += 1) {
    const after = height - startHeight - 1;
    const payment = after >= 0 && after % blocksPerPayment === 0 ? paying[after / blocksPerPayment] : undefined;
    const { root, text } = payment ?? lists[height % prepared]!;
    const timestamp = startMs + (height - startHeight) * BLOCK_MS;
    const { id, header } = makeHeader({ height, timestamp, parentHash: previousId, root });
    texts.push({ header: `{${header}}`, whole: `{${header},"transactions":${text}}` });
    previousId = id;
  }
  let headHeight = startHeight;
  const at = (height: number) => (height <= headHeight ? texts[height - first] : undefined);
  const answer = (path: string, body: Record<string, unknown>): string => {
    if (path === '/jsonrpc') return answerRpc(body, headHeight - SOLID_BEHIND);
    if (path === '/wallet/getblockbylimitnext') {
      const heights = Array.from(
        { length: Number(body['endNum']) - Number(body['startNum']) },
        (_, index) => Number(body['startNum']) + index,
      );
      return `{"block":[${heights.flatMap((height) => at(height)?.whole ?? []).join()}]}`;
    }
    const newest = path.startsWith('/walletsolidity') ? headHeight - SOLID_BEHIND : headHeight;
    const block = at(Number(body['id_or_num'] ?? newest));
    return (body['detail'] === true ? block?.whole : block?.header) ?? '{}';
  };
  const urls = [await listen(answer), await listen(answer)];
  return { urls, advance: () => void (headHeight = startHeight + blocks) };
}

const anyAddress = () => `41${randomBytes(20).toString('hex')}`;

/** Half transfers of TRX, half of USDT, as on the main network. Nobody checks the signatures. */
function prepare({ transactionsPerBlock }: TronBlocks, first: readonly Contract[]): Prepared {
  const referenceId = '00'.repeat(32);
  const contracts = [
    ...first,
    ...Array.from({ length: transactionsPerBlock - first.length }, (_, index): Contract => {
      const owner = anyAddress();
      if (index % 2 === 0) return { kind: 'TRX', owner, to: anyAddress(), units: 1_000_000n };
      return { kind: 'CALL', owner, contract: USDT, value: 0n, data: encode.transfer(anyAddress(), 1_000_000n) };
    }),
  ];
  const transactions = contracts.map((contract) => {
    const rawData = encodeRawData(contract, { referenceId, timeMs: Date.now() });
    return encodeTransaction({ id: '', rawData, signatures: [randomBytes(65)] }, 'SUCCESS');
  });
  return { root: merkleRoot(transactions.map(sha256)), text: JSON.stringify(transactions.map(printTransaction)) };
}

interface HeaderFields {
  height: number;
  timestamp: number;
  parentHash: string;
  root: Uint8Array;
}

function makeHeader({ height, timestamp, parentHash, root }: HeaderFields): { id: string; header: string } {
  const witness_address = anyAddress();
  const bytes = Buffer.concat([
    integerField(1, timestamp),
    bytesField(2, root),
    bytesField(3, Buffer.from(parentHash, 'hex')),
    integerField(7, height),
    bytesField(9, Buffer.from(witness_address, 'hex')),
    integerField(10, 34),
  ]);
  const id = height.toString(16).padStart(16, '0') + Buffer.from(sha256(bytes)).toString('hex').slice(16);
  const txTrieRoot = Buffer.from(root).toString('hex');
  const raw_data = { number: height, txTrieRoot, witness_address, parentHash, version: 34, timestamp };
  const block = { blockID: id, block_header: { raw_data, witness_signature: '00'.repeat(65) } };
  return { id, header: JSON.stringify(block).slice(1, -1) };
}

const result = (value: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: value });

/** Others use USDT; none of it is for us. */
function answerRpc({ method, params }: Record<string, unknown>, solidHeight: number): string {
  if (method === 'eth_chainId') return result(`0x${MAINNET_CHAIN_ID.toString(16)}`);
  const [{ topics }] = params as [{ topics: unknown[] }];
  if (topics.length > 1) return result([]);
  const word = `0x${'0'.repeat(64)}`;
  return result([
    {
      address: `0x${USDT.slice(2)}`,
      topics: [TRANSFER_TOPIC, word, word],
      data: word,
      blockNumber: `0x${solidHeight.toString(16)}`,
      blockHash: word,
      transactionHash: word,
      logIndex: '0x0',
    },
  ]);
}

async function listen(answer: (path: string, body: Record<string, unknown>) => string): Promise<string> {
  const { url } = await serveBodies((request, body, response) => {
    const input = JSON.parse(body) as Record<string, unknown>;
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer(request.url!, input));
  });
  return url;
}
