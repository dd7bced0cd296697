/** The verifiable receipt of a connection. Charges are chained by hash when they are made; the receipt signs the last hash. */
import { AppError } from '@cellhop/contract/errors';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import type { Charge, ConnectionCost, PublicReceiptKey, PublicReceiptKeys, Receipt } from '@cellhop/contract/receipts';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, toOffset, toTotalPages } from '../../http/paging.ts';
import * as store from './receipts.store.ts';
import { receiptKey, receiptKeys, signReceipt } from './receipt-signing.ts';

/** About 400 kB: all that a slow client keeps in memory. */
const CHARGES_PER_PAGE = 1000;
/** The chart shows no more points, so no more charges are read for it. */
const COST_STEPS_MAX = 240;

/**
 * Streams the receipt as JSON, because a connection may have any number of charges. The first query fixes the number of
 * charges. Existing charges never change, so no transaction stays open while a slow client reads.
 * @returns the chunks of `{ "data": receipt }`
 * @throws AppError NOT_FOUND if the connection is not the actor's own
 */
export async function streamReceipt(ctx: Ctx, actor: Actor, connectionId: string): Promise<AsyncIterable<string>> {
  return writeReceipt(ctx, await findOwn(ctx, actor, connectionId));
}

/** @throws AppError NOT_FOUND if the connection is not the actor's own */
export async function listCharges(
  ctx: Ctx,
  actor: Actor,
  connectionId: string,
  query: PageQuery,
): Promise<ChargesPage> {
  return pageOfCharges(ctx, await findOwn(ctx, actor, connectionId), query);
}

/** For staff. @throws AppError NOT_FOUND */
export async function listAnyCharges(ctx: Ctx, connectionId: string, query: PageQuery): Promise<ChargesPage> {
  const row = await store.findReceipt(ctx, connectionId);
  if (!row) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  return pageOfCharges(ctx, row, query);
}

interface ChargesPage {
  data: Charge[];
  totalPages: number;
}

async function pageOfCharges(
  ctx: Ctx,
  { escrowAccountId, priceMicros, chargeCount }: store.ReceiptRow,
  query: PageQuery,
): Promise<ChargesPage> {
  const rows = await store.listNewestCharges(ctx, escrowAccountId, { limit: query.size, offset: toOffset(query) });
  return {
    data: rows.map(({ number, ...charge }) => present(charge, number, megabytePrice(priceMicros))),
    totalPages: toTotalPages(chargeCount, query),
  };
}

/** @throws AppError NOT_FOUND if the connection is not the actor's own */
export async function getCost(ctx: Ctx, actor: Actor, connectionId: string): Promise<ConnectionCost> {
  const row = await findOwn(ctx, actor, connectionId);
  const megabyteMicros = megabytePrice(row.priceMicros);
  const paid = await store.listCostSteps(ctx, row.escrowAccountId, COST_STEPS_MAX);
  const refunds = await store.listRefunds(ctx, row.escrowAccountId, 1);
  // Megabytes are paid in order and at one price, so the last one gives the total.
  const steps = paid.map(({ chargedAt, megabyteTo }) => ({ chargedAt, costMicros: megabyteTo * megabyteMicros }));
  for (const { chargedAt, amountMicros } of refunds)
    steps.push({ chargedAt, costMicros: (steps.at(-1)?.costMicros ?? 0n) - amountMicros });
  return {
    createdAt: row.createdAt,
    until: row.endedAt ?? row.issuedAt,
    total: toDollars(steps.at(-1)?.costMicros ?? 0n),
    steps: steps.map(({ chargedAt, costMicros }) => ({ chargedAt, cost: toDollars(costMicros) })),
  };
}

async function findOwn(ctx: Ctx, actor: Actor, connectionId: string): Promise<store.ReceiptRow> {
  const row = await store.findReceipt(ctx, connectionId);
  if (row?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  return row;
}

async function* writeReceipt(ctx: Ctx, row: store.ReceiptRow): AsyncGenerator<string> {
  const key = receiptKey(ctx.config.secretKeys);
  await listPublished(ctx);
  const { id: connectionId, ip, priceMicros, status, endReason, createdAt, issuedAt, uploadedBytes } = row;
  const downloadedBytes = row.usedBytes - uploadedBytes;
  const facts = { connectionId, ip, status, endReason, createdAt, disconnectAt: row.endedAt };
  const first: Omit<Receipt, 'charges' | keyof ReceiptEnd> = {
    version: 1,
    ...facts,
    price: toDollars(priceMicros),
    uploadedBytes: Number(uploadedBytes),
    downloadedBytes: Number(downloadedBytes),
  };
  yield `{"data":${withoutClosingBrace(first)},"charges":[`;

  let totalMicros = 0n;
  let chargeCount = 0;
  let headHash = '';
  for await (const page of pagesOfCharges(ctx, row)) {
    const texts: string[] = [];
    for (const charge of page) {
      chargeCount += 1;
      totalMicros += signedMicros(charge);
      headHash = charge.hash;
      texts.push(JSON.stringify(present(charge, chargeCount, megabytePrice(priceMicros))));
    }
    yield (chargeCount > page.length ? ',' : '') + texts.join(',');
  }

  const signed = { ...facts, issuedAt, keyId: key.id, priceMicros, uploadedBytes, downloadedBytes };
  const end: ReceiptEnd = {
    total: toDollars(totalMicros),
    issuedAt,
    keyId: key.id,
    // A purchase creates the connection with its first charge, so there is always a last one.
    signature: signReceipt(key, { ...signed, totalMicros, chargeCount, headHash }),
  };
  yield `],${JSON.stringify(end).slice(1)}}`;
}

/** The fields that depend on all charges, written after them. */
type ReceiptEnd = Pick<Receipt, 'total' | 'issuedAt' | 'keyId' | 'signature'>;

function withoutClosingBrace(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

/** Reads as many charges as the connection had when its row was read; later ones belong to the next receipt. */
async function* pagesOfCharges(
  ctx: Ctx,
  { escrowAccountId, chargeCount }: store.ReceiptRow,
): AsyncGenerator<store.ChargeRow[]> {
  let left = chargeCount;
  let after: bigint | null = null;
  while (left > 0) {
    const limit = Math.min(left, CHARGES_PER_PAGE);
    const page: store.ChargeRow[] = await store.listPaidCharges(ctx, escrowAccountId, after, limit);
    if (page.length > 0) yield page;
    left -= page.length;
    if (page.length < limit) break;
    after = page.at(-1)!.megabyteFrom;
  }
  // A refund is always the last charge.
  if (left > 0) yield await store.listRefunds(ctx, escrowAccountId, left);
}

/** Returns earlier keys too, so that receipts signed with them can still be verified. */
export async function getPublicKey(ctx: Ctx): Promise<PublicReceiptKeys> {
  const { id } = receiptKey(ctx.config.secretKeys);
  const published = await listPublished(ctx);
  const newest = published.find(({ keyId }) => keyId === id)!;
  return { ...newest, olderKeys: published.filter((each) => each !== newest) };
}

/** Every key of SECRET_KEY is published before it signs anything, and stays published after it is removed from the setting. */
async function listPublished(ctx: Ctx): Promise<PublicReceiptKey[]> {
  const rows = await store.listKeys(ctx);
  const missing = receiptKeys(ctx.config.secretKeys).filter(({ id }) => !rows.some(({ keyId }) => keyId === id));
  for (const { id, publicKey } of missing) await store.insertKey(ctx, id, publicKey);
  return [...rows, ...missing.map(({ id, publicKey }) => ({ keyId: id, publicKey }))].map(({ keyId, publicKey }) => ({
    keyId,
    algorithm: 'Ed25519',
    publicKey: publicKey.toString('base64'),
  }));
}

function present(charge: store.ChargeRow, number: number, megabyteMicros: bigint): Charge {
  return {
    number,
    chargedAt: charge.chargedAt,
    kind: charge.kind,
    firstMegabyte: Number(charge.megabyteFrom ?? firstRefunded(charge.amountMicros, megabyteMicros)) + 1,
    lastMegabyte: Number(charge.megabyteTo ?? PREPAID_MEGABYTES),
    uploadedBytes: Number(charge.uploadedBytes),
    downloadedBytes: Number(charge.downloadedBytes),
    megabytePrice: toDollars(megabyteMicros),
    amount: toDollars(signedMicros(charge)),
    hash: charge.hash,
  };
}

/** Refunded megabytes are always the last of the prepaid ones. */
function firstRefunded(amountMicros: bigint, megabyteMicros: bigint): bigint {
  return BigInt(PREPAID_MEGABYTES) - amountMicros / megabyteMicros;
}

function signedMicros({ kind, amountMicros }: store.ChargeRow): bigint {
  return kind === 'REFUND' ? -amountMicros : amountMicros;
}
