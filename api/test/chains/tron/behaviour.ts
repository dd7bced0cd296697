/** How one source serves the chain: it may lag, refuse, break, forget, or lie. */
import { MAINNET_CHAIN_ID } from '../../../src/payments/chains/tron/network.ts';
import type { PrintedBlock, PrintedLog, printInfo } from './printing.ts';

export interface Behaviour {
  chainId: number;
  /** Its newest block is so many blocks older. */
  blocksBehind: number;
  /** HTTP 200 with `Error`, as nodes refuse; HTTP 403, as TronGrid does. */
  throttling: 'NONE' | 'ERROR' | 'FORBIDDEN';
  /** Instead of each response. */
  page: 'NONE' | 'HTML' | 'EMPTY' | 'CLOSED';
  /** Paths that its configuration turns off, such as `/jsonrpc`. */
  disabled: ReadonlySet<string>;
  /** A lite node has no older blocks. */
  firstHeight: number;
  /** The newest blocks have no receipts and no logs yet. */
  receiptsBehind: number;
  /** Logs of these heights were never written to its index. */
  lacksLogsOf: (height: number) => boolean;
  /** Blocks that `getLogs` accepts at once. */
  logHeightsMax: number;
  changeBlock: (block: PrintedBlock) => PrintedBlock | undefined;
  /** In the order of its log. */
  changeLogs: (logs: PrintedLog[]) => PrintedLog[];
  changeReceipt: (logs: PrintedLog[]) => PrintedLog[] | undefined;
  changeInfo: (info: ReturnType<typeof printInfo>) => object;
  /** What an account holds, by its 21 bytes in hexadecimal digits. */
  changeBalance: (units: bigint, held: { asset: 'TRX' | 'USDT'; owner: string }) => bigint;
}

export function honest(): Behaviour {
  return {
    chainId: MAINNET_CHAIN_ID,
    blocksBehind: 0,
    throttling: 'NONE',
    page: 'NONE',
    disabled: new Set(),
    firstHeight: 0,
    receiptsBehind: 0,
    lacksLogsOf: () => false,
    logHeightsMax: 5000,
    changeBlock: (block) => block,
    changeLogs: (logs) => logs,
    changeReceipt: (logs) => logs,
    changeInfo: (info) => info,
    changeBalance: (units) => units,
  };
}
