// @ts-check
/**
 * Checks a receipt independently: written from docs/receipts.md, shares no code with the server, has no dependency. Uses Web
 * Crypto only, so that the same file works in browsers and in Node.js.
 *
 * Every check function returns a message about the first problem, or undefined.
 */

/** @typedef {Record<string, unknown>} Fields */

const BYTES_PER_MEGABYTE = 1_048_576;
const PREPAID_MEGABYTES = 50;
const NO_HASH = '0'.repeat(64);
const KINDS = new Set(['PREPAID_50_MB', 'MEGABYTE', 'REFUND']);
const STATUSES = new Set(['WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY']);

/** @param {unknown} value */
const isText = (value) => typeof value === 'string' && value !== '' && !value.includes('\n');
/** @param {unknown} value */
const isTime = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
/** @param {unknown} value */
const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @param {unknown} value */
const isDollars = (value) => typeof value === 'number' && micros(value) / 1e6 === value;
/** @param {unknown} value */
const isHash = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
/** @param {(value: unknown) => boolean} check @returns {(value: unknown) => boolean} */
const orNull = (check) => (value) => value === null || check(value);

/** @type {Record<string, (value: unknown) => boolean>} */
const RECEIPT_FIELDS = {
  version: (value) => value === 1,
  connectionId: isText,
  ip: isText,
  price: isDollars,
  status: (value) => STATUSES.has(String(value)),
  endReason: orNull(isText),
  createdAt: isTime,
  disconnectAt: orNull(isTime),
  uploadedBytes: isCount,
  downloadedBytes: isCount,
  total: isDollars,
  charges: (value) => Array.isArray(value) && value.length > 0,
  issuedAt: isTime,
  keyId: isText,
  signature: isText,
};

/** @type {Record<string, (value: unknown) => boolean>} */
const CHARGE_FIELDS = {
  number: isCount,
  chargedAt: isTime,
  kind: (value) => KINDS.has(String(value)),
  firstMegabyte: isCount,
  lastMegabyte: isCount,
  uploadedBytes: isCount,
  downloadedBytes: isCount,
  megabytePrice: isDollars,
  amount: isDollars,
  hash: isHash,
};

/**
 * @param {unknown} receipt as returned by the API
 * @param {{ publicKey?: string, earlier?: unknown }} [options] `publicKey`: base64 of its 32 bytes; without it the
 *   signature is not checked. `earlier`: an older receipt of the same connection.
 * @returns {Promise<string | undefined>}
 * @throws {DOMException} if this browser or Node.js has no Ed25519
 */
export async function checkReceipt(receipt, { publicKey, earlier } = {}) {
  const problem = await checkOne(receipt, publicKey);
  if (problem !== undefined || earlier === undefined) return problem;
  const earlierProblem = await checkOne(earlier, publicKey);
  if (earlierProblem !== undefined) return `the earlier receipt is not good: ${earlierProblem}`;
  return checkPrefix(/** @type {any} */ (earlier), /** @type {any} */ (receipt));
}

/** @param {unknown} receipt @param {string | undefined} publicKey */
async function checkOne(receipt, publicKey) {
  return (
    checkFields('the receipt', receipt, RECEIPT_FIELDS) ??
    (await checkCharges(/** @type {any} */ (receipt))) ??
    checkTotals(/** @type {any} */ (receipt)) ??
    (publicKey === undefined ? undefined : await checkSignature(/** @type {any} */ (receipt), publicKey))
  );
}

/** Exactly these fields: an unsigned field must not appear among the signed ones. @param {string} what @param {unknown} value @param {typeof RECEIPT_FIELDS} fields */
function checkFields(what, value, fields) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${what} is not an object`;
  const object = /** @type {Fields} */ (value);
  for (const name of Object.keys(object))
    if (!Object.hasOwn(fields, name)) return `${what} has an unknown field ${name}`;
  for (const [name, check] of Object.entries(fields)) {
    if (!Object.hasOwn(object, name)) return `${what} lacks the field ${name}`;
    if (!check(object[name])) return `${what} has no valid ${name}`;
  }
  return undefined;
}

/** @param {any} receipt @returns {Promise<string | undefined>} */
async function checkCharges(receipt) {
  const price = micros(receipt.price) / 100;
  let previous = { hash: NO_HASH, paid: 0, uploadedBytes: 0, downloadedBytes: 0 };
  for (const [index, charge] of receipt.charges.entries()) {
    const what = `charge ${index + 1}`;
    const problem = checkFields(what, charge, CHARGE_FIELDS) ?? checkCharge(charge, index, price, previous);
    if (problem !== undefined) return problem.startsWith(what) ? problem : `${what} ${problem}`;
    if (charge.hash !== (await chargeHash(receipt.connectionId, previous.hash, charge)))
      return `${what} does not fit its hash: it, or the hash, was changed`;
    const paid = charge.kind === 'REFUND' ? charge.firstMegabyte - 1 : charge.lastMegabyte;
    previous = { ...charge, paid };
  }
  return undefined;
}

/** @param {any} charge @param {number} index @param {number} price @param {{ paid: number, uploadedBytes: number, downloadedBytes: number }} previous */
function checkCharge(charge, index, price, previous) {
  if (charge.number !== index + 1) return `has the number ${charge.number}`;
  if ((charge.kind === 'PREPAID_50_MB') !== (index === 0)) return `is a ${charge.kind} at the wrong place`;
  if (charge.uploadedBytes < previous.uploadedBytes || charge.downloadedBytes < previous.downloadedBytes)
    return 'has counted less than the one before it';
  const rangeProblem = checkRange(charge, previous.paid);
  if (rangeProblem !== undefined) return rangeProblem;
  if (micros(charge.megabytePrice) !== price) return 'has another price than the connection';
  const megabytes = charge.lastMegabyte - charge.firstMegabyte + 1;
  const amount = megabytes * price * (charge.kind === 'REFUND' ? -1 : 1);
  return micros(charge.amount) === amount ? undefined : `is not the price of ${megabytes} megabytes`;
}

/** @param {any} charge @param {number} paid megabytes paid before it */
function checkRange({ kind, firstMegabyte, lastMegabyte, uploadedBytes, downloadedBytes }, paid) {
  const bytes = uploadedBytes + downloadedBytes;
  const begun = Math.ceil(bytes / BYTES_PER_MEGABYTE);
  if (lastMegabyte < firstMegabyte) return 'has no megabytes';
  if (kind === 'REFUND') {
    if (lastMegabyte !== paid || paid !== PREPAID_MEGABYTES)
      return 'gives back other megabytes than the last prepaid ones';
    return firstMegabyte === begun + 1 ? undefined : `gives back from megabyte ${firstMegabyte} on, ${begun} had begun`;
  }
  if (firstMegabyte !== paid + 1) return `begins at megabyte ${firstMegabyte}, ${paid} were paid before`;
  if (kind === 'PREPAID_50_MB') return lastMegabyte === PREPAID_MEGABYTES ? undefined : 'is not for 50 megabytes';
  return lastMegabyte <= begun ? undefined : `pays megabyte ${lastMegabyte} before it had begun`;
}

/** @param {any} receipt */
function checkTotals(receipt) {
  const sum = receipt.charges.reduce(
    (/** @type {number} */ total, /** @type {any} */ charge) => total + micros(charge.amount),
    0,
  );
  if (sum !== micros(receipt.total)) return `the charges sum to ${sum / 1e6}, the receipt says ${receipt.total}`;
  const last = receipt.charges.at(-1);
  if (receipt.uploadedBytes < last.uploadedBytes || receipt.downloadedBytes < last.downloadedBytes)
    return 'the receipt has counted less than its last charge';
  return undefined;
}

/** @param {any} receipt @param {string} publicKey */
async function checkSignature(receipt, publicKey) {
  const key = fromBase64(publicKey);
  if (key?.length !== 32) return 'the public key is not 32 bytes in base64';
  const keyId = (await sha256(key)).slice(0, 16);
  if (keyId !== receipt.keyId) return `the receipt was signed with the key ${receipt.keyId}, the given one is ${keyId}`;
  const signature = fromBase64(receipt.signature);
  if (signature === undefined) return 'the signature is not in base64';
  const imported = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
  return (await crypto.subtle.verify({ name: 'Ed25519' }, imported, signature, toBytes(signedText(receipt))))
    ? undefined
    : 'the signature does not fit the receipt';
}

/** @param {any} earlier @param {any} later */
function checkPrefix(earlier, later) {
  if (earlier.connectionId !== later.connectionId) return 'the earlier receipt is of another connection';
  if (earlier.charges.length > later.charges.length) return 'the earlier receipt has more charges than the later one';
  for (const [index, charge] of earlier.charges.entries())
    if (charge.hash !== later.charges[index].hash) return `charge ${index + 1} is another one in the earlier receipt`;
  return undefined;
}

/** @param {string} connectionId @param {string} previousHash @param {any} charge */
function chargeHash(connectionId, previousHash, charge) {
  const lines = [
    'cellhop-charge-1',
    previousHash,
    connectionId,
    charge.number,
    charge.chargedAt,
    charge.kind,
    charge.firstMegabyte,
    charge.lastMegabyte,
    charge.uploadedBytes,
    charge.downloadedBytes,
    micros(charge.megabytePrice),
    micros(charge.amount),
  ];
  return sha256(toBytes(lines.join('\n')));
}

/** @param {any} receipt */
function signedText(receipt) {
  return [
    'cellhop-receipt-1',
    receipt.connectionId,
    receipt.ip,
    micros(receipt.price),
    receipt.status,
    receipt.endReason ?? '-',
    receipt.createdAt,
    receipt.disconnectAt ?? '-',
    receipt.uploadedBytes,
    receipt.downloadedBytes,
    micros(receipt.total),
    receipt.charges.length,
    receipt.charges.at(-1).hash,
    receipt.issuedAt,
    receipt.keyId,
  ].join('\n');
}

/** Dollars with at most 6 decimals are a whole number of micro-dollars. @param {number} dollars */
function micros(dollars) {
  return Math.round(dollars * 1e6);
}

/** @param {string} text */
function toBytes(text) {
  return new TextEncoder().encode(text);
}

/** In lower-case hexadecimal. @param {Uint8Array<ArrayBuffer>} bytes */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Base64 can encode the same bytes in several ways. Only the canonical form is accepted, so a changed receipt cannot pass.
 * @param {string} text
 */
function fromBase64(text) {
  try {
    const bytes = atob(text);
    return btoa(bytes) === text ? Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}
