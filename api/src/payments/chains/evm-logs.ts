/** Reads the transfers of a token to our addresses in pieces that a node accepts. Serves every chain with Ethereum's JSON-RPC. */
import { TRANSFER_TOPIC, type EvmLog, type EvmNode } from './evm-node.ts';
import { RpcError } from './json-rpc.ts';
import { isTooLarge } from './refusals.ts';
import { createSizeLimit } from './size-limit.ts';

/** java-tron accepts 1,000 topics and 5,000 blocks, public nodes often fewer blocks. */
const RECIPIENTS_MAX = 1000;
const HEIGHTS_MAX = 2000;
/** With more addresses, all transfers of the token are read instead of many pieces, if there are few blocks. */
const RECIPIENTS_FILTERED_MAX = 2000;
/** USDT has some 60 transfers in a block of Ethereum. */
const HEIGHTS_UNFILTERED_MAX = 50;
/**
 * How nodes and providers refuse a request that is too large. Not by what sounds similar: a time-out, a quota (see refusals.ts), a result
 * that is not ready yet.
 */
const TOO_LARGE_MESSAGE =
  /block.{0,3}range|ranges? (is |are )?(over|too|limit|exceed)|too (many|large|big|wide|long)|more than \d|exceeds? (the )?(max|limit)|limit exceeded|limited to|maximum (block|range|number)|max (results|topics|addresses|logs|block)|query returned|(log|logs|response|result) size/i;
const TOO_MANY_RECIPIENTS_MESSAGE = /topics|addresses/i;

export interface TokenTransfer {
  log: EvmLog;
  sender: string;
  recipient: string;
  units: bigint;
}

interface Piece {
  fromHeight: number;
  toHeight: number;
  /** Undefined: all of the token's. */
  recipients: readonly string[] | undefined;
}

export type TransferReader = ReturnType<typeof createTransferReader>;

/** Remembers the request sizes that its node has accepted; a restart begins with the largest ones. */
export function createTransferReader(node: Pick<EvmNode, 'logs'>, contract: string) {
  const heights = createSizeLimit(HEIGHTS_MAX);
  const unfilteredHeights = createSizeLimit(HEIGHTS_UNFILTERED_MAX);
  const recipientCount = createSizeLimit(RECIPIENTS_MAX);
  const limitFor = ({ recipients }: Piece) => (recipients ? heights : unfilteredHeights);

  /** @returns false if nothing is left to halve */
  function halve(piece: Piece, message: string): boolean {
    if (isUndividable(piece)) return true;
    const count = piece.recipients?.length ?? 0;
    const heightCount = countHeights(piece);
    if (count > 1 && (heightCount === 1 || TOO_MANY_RECIPIENTS_MESSAGE.test(message))) recipientCount.refuse(count);
    else if (heightCount > 1) limitFor(piece).refuse(heightCount);
    else return false;
    return true;
  }

  /** @returns undefined if the node refused it as too large, and less is tried from now on */
  async function readPiece(piece: Piece, signal: AbortSignal): Promise<EvmLog[] | undefined> {
    try {
      const logs = await node.logs({ ...piece, contract }, signal);
      limitFor(piece).accept(countHeights(piece));
      if (piece.recipients) recipientCount.accept(piece.recipients.length);
      return logs.filter(({ blockNumber }) => blockNumber >= piece.fromHeight && blockNumber <= piece.toHeight);
    } catch (error) {
      if (!isTooMuch(error) || !halve(piece, (error as Error).message)) throw error;
      return undefined;
    }
  }

  return {
    /**
     * @param recipients lower case
     * @returns transfers of more than 0 to them. A fee that the token takes is already deducted.
     */
    async read(fromHeight: number, toHeight: number, recipients: ReadonlySet<string>, signal: AbortSignal) {
      const transfers: TokenTransfer[] = [];
      if (recipients.size === 0 || fromHeight > toHeight) return transfers;
      const isFiltered =
        recipients.size <= RECIPIENTS_FILTERED_MAX || toHeight - fromHeight + 1 > unfilteredHeights.value();
      // The next piece is the last one.
      const pieces: Piece[] = [{ fromHeight, toHeight, recipients: isFiltered ? [...recipients] : undefined }];
      for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
        const parts = cut(piece, limitFor(piece).value(), recipientCount.value());
        if (parts.length > 1) pieces.push(...parts.toReversed());
        else {
          const logs = await readPiece(piece, signal);
          if (logs) transfers.push(...logs.flatMap((log) => parseTransfer(log, contract, recipients)));
          // The accepted size has become smaller; of a single block, all transfers are too much.
          else pieces.push(isUndividable(piece) ? { ...piece, recipients: [...recipients] } : piece);
        }
      }
      return transfers;
    },
  };
}

/** Cuts what is larger than the node accepts, into a first part that has at most the accepted heights, and the rest. */
function cut(piece: Piece, heightsMax: number, recipientsMax: number): Piece[] {
  const { fromHeight, toHeight, recipients } = piece;
  const nextHeight = fromHeight + heightsMax;
  if (nextHeight <= toHeight)
    return [
      { ...piece, toHeight: nextHeight - 1 },
      { ...piece, fromHeight: nextHeight },
    ];
  if (recipients && recipients.length > recipientsMax)
    return [
      { ...piece, recipients: recipients.slice(0, recipientsMax) },
      { ...piece, recipients: recipients.slice(recipientsMax) },
    ];
  return [piece];
}

/** All transfers of one block: only its recipients can still be named. */
const isUndividable = (piece: Piece) => !piece.recipients && countHeights(piece) === 1;

const countHeights = ({ fromHeight, toHeight }: Piece) => toHeight - fromHeight + 1;

export function isTooMuch(error: unknown): boolean {
  return isTooLarge(error) || (error instanceof RpcError && TOO_LARGE_MESSAGE.test(error.message));
}

/** A node is not trusted to have applied the filter. Transfers of 0 imitate earlier ones ("address poisoning"). */
export function parseTransfer(log: EvmLog, contract: string, recipients: ReadonlySet<string>): TokenTransfer[] {
  const [topic, from, to] = log.topics;
  if (log.removed || log.address !== contract || topic !== TRANSFER_TOPIC || log.topics.length !== 3) return [];
  if (!/^0x[0-9a-f]{64}$/.test(log.data)) return [];
  const sender = `0x${from!.slice(-40)}`;
  const recipient = `0x${to!.slice(-40)}`;
  const units = BigInt(log.data);
  return units > 0n && recipients.has(recipient) ? [{ log, sender, recipient, units }] : [];
}
