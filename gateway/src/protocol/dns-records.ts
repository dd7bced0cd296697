/** Reads the records of DNS messages (RFC 1035, section 4). */

export const HEADER_LENGTH = 12;
export const NAME_LENGTH_MAX = 255;
const LABEL_LENGTH_MAX = 63;

const RESPONSE_CODE = 0x0f;
const NAME_ERROR = 3;

export const TYPE_A = 1;
export const TYPE_AAAA = 28;
export const TYPE_OPT = 41;
/** Service bindings (RFC 9460): SVCB and HTTPS. Their parameters may contain addresses. */
const SERVICE_BINDINGS: ReadonlySet<number> = new Set([64, 65]);
/** Bytes of an address in the parameters `ipv4hint` and `ipv6hint`, by their keys (RFC 9460, section 7.3). */
const HINT_LENGTHS: ReadonlyMap<number, number> = new Map([
  [4, 4],
  [6, 16],
]);

/** The first name of a message has nothing to point to, so compression is malformed there. */
export function questionNameEnd(message: Buffer): number | undefined {
  let at = HEADER_LENGTH;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > LABEL_LENGTH_MAX) return undefined;
    at += 1 + length;
    if (at - HEADER_LENGTH > NAME_LENGTH_MAX) return undefined;
    if (length === 0) return at;
  }
}

export interface ResourceRecord {
  readonly type: number;
  /** The offset of type, class, TTL and data length. */
  readonly fieldsAt: number;
  readonly end: number;
}

export function readRecord(message: Buffer, at: number): ResourceRecord | undefined {
  const fieldsAt = nameEnd(message, at);
  if (fieldsAt === undefined || fieldsAt + 10 > message.length) return undefined;
  const end = fieldsAt + 10 + message.readUInt16BE(fieldsAt + 8);
  return end > message.length ? undefined : { type: message.readUInt16BE(fieldsAt), fieldsAt, end };
}

/** @returns the offset after a name; undefined if it is truncated, too long, or its pointers do not always lead backwards */
function nameEnd(message: Buffer, start: number): number | undefined {
  let [at, end, length, lowest] = [start, -1, 0, start];
  for (;;) {
    const first = message[at];
    if (first === undefined) return undefined;
    if (first <= LABEL_LENGTH_MAX) {
      at += 1 + first;
      length += 1 + first;
      if (length > NAME_LENGTH_MAX) return undefined;
      if (first === 0) return end === -1 ? at : end;
    } else {
      const second = message[at + 1];
      if (first < 0xc0 || second === undefined) return undefined;
      if (end === -1) end = at + 2;
      at = ((first & 0x3f) << 8) | second;
      if (at >= lowest || at < HEADER_LENGTH) return undefined; // Strictly backwards, so it cannot loop.
      lowest = at;
    }
  }
}

/** An answer, with the fields that a forwarder needs. */
export interface Answer {
  readonly message: Buffer;
  /** The addresses of all A and AAAA records, and those that service bindings contain. */
  readonly addresses: readonly Uint8Array[];
  readonly optAt: number | undefined;
}

/** @returns undefined if the records are malformed, or do not fill the message exactly */
export function readAnswer(message: Buffer): Answer | undefined {
  const addresses: Uint8Array[] = [];
  let optAt: number | undefined;
  let at = questionNameEnd(message);
  if (at === undefined) return undefined;
  at += 4;
  const count = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  for (let left = count; left > 0; left -= 1) {
    const record = readRecord(message, at);
    if (!record) return undefined;
    const found = readAddresses(record.type, message.subarray(record.fieldsAt + 10, record.end));
    if (!found) return undefined;
    addresses.push(...found);
    if (record.type === TYPE_OPT) optAt = record.fieldsAt;
    at = record.end;
  }
  return at === message.length ? { message, addresses, optAt } : undefined;
}

export interface AnsweredAddresses {
  readonly addresses: Uint8Array[];
  /** The shortest of all records of the answer, including its aliases; infinite if there are none, and 0 if the question failed. */
  readonly ttlSeconds: number;
  /** The name has these addresses, or none. */
  readonly isAnswered: boolean;
}

/** The addresses of a type in the answer section, of a message that `readAnswer` has accepted. */
export function answeredAddresses({ message }: Answer, type: number): AnsweredAddresses {
  const addresses: Uint8Array[] = [];
  const code = message.readUInt8(3) & RESPONSE_CODE;
  let ttlSeconds = code === 0 ? Number.POSITIVE_INFINITY : 0;
  let at = (questionNameEnd(message) ?? message.length) + 4;
  for (let left = message.readUInt16BE(6); left > 0; left -= 1) {
    const record = readRecord(message, at);
    if (!record) break;
    if (record.type === type) addresses.push(Uint8Array.from(message.subarray(record.fieldsAt + 10, record.end)));
    // A negative number is zero (RFC 2181, section 8).
    ttlSeconds = Math.min(ttlSeconds, Math.max(0, message.readInt32BE(record.fieldsAt + 4)));
    at = record.end;
  }
  return { addresses, ttlSeconds, isAnswered: code === 0 || code === NAME_ERROR };
}

const NO_ADDRESSES: readonly Uint8Array[] = [];

/** @returns undefined if the data is malformed */
function readAddresses(type: number, data: Buffer): readonly Uint8Array[] | undefined {
  if (type === TYPE_A) return data.length === 4 ? [data] : undefined;
  if (type === TYPE_AAAA) return data.length === 16 ? [data] : undefined;
  return SERVICE_BINDINGS.has(type) ? readHints(data) : NO_ADDRESSES;
}

/** Priority, target name, then parameters of key, length and value (RFC 9460, section 2.2). @returns undefined if it is malformed */
function readHints(data: Buffer): Uint8Array[] | undefined {
  const hints: Uint8Array[] = [];
  // The name of a service binding is never compressed; a pointer would lead out of the data.
  let at: number | undefined = nameEnd(data, 2);
  while (at !== undefined && at + 4 <= data.length) {
    const [key, length, valueAt] = [data.readUInt16BE(at), data.readUInt16BE(at + 2), at + 4];
    at = valueAt + length;
    const size = HINT_LENGTHS.get(key);
    if (at > data.length || (size !== undefined && (length === 0 || length % size !== 0))) return undefined;
    if (size !== undefined) for (let of = valueAt; of < at; of += size) hints.push(data.subarray(of, of + size));
  }
  return at === data.length ? hints : undefined;
}
