/** Parses, creates and rewrites DNS messages for a forwarder (RFC 1035, section 4; EDNS(0): RFC 6891). */
import {
  type Answer,
  HEADER_LENGTH,
  NAME_LENGTH_MAX,
  questionNameEnd,
  readRecord,
  type ResourceRecord,
  TYPE_OPT,
} from './dns-records.ts';

/** A longer question can only be padding. */
export const QUESTION_BYTES_MAX = 4096;
/** Answers over UDP are never larger: they pass every path without fragments (RFC 9715). */
const UDP_PAYLOAD_MAX = 1232;
/** Without EDNS (RFC 1035, section 4.2.1). */
const PLAIN_PAYLOAD_MAX = 512;

const FLAG_RESPONSE = 0x80_00;
const FLAG_TRUNCATED = 0x02_00;
/** Recursion desired, authentic data and checking disabled are the client's; the other bits of a question are not forwarded. */
const FORWARDED_FLAGS = 0x01_30;
const FLAG_RECURSION_DESIRED = 0x01_00;
const OPCODE_MASK = 0x78_00;
const CLASS_IN = 1;
const DNSSEC_OK = 0x80_00;

/** IXFR and AXFR: their responses have many messages. */
const ZONE_TRANSFERS: ReadonlySet<number> = new Set([251, 252]);
const OPT_LENGTH = 11;

export const responseCodes = {
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const;
export type ResponseCode = (typeof responseCodes)[keyof typeof responseCodes];

interface Edns {
  readonly payloadBytes: number;
  readonly version: number;
  readonly isDnssecOk: boolean;
}

/** One question of a client. */
export interface Query {
  readonly id: number;
  readonly flags: number;
  /** Name, type and class, as they were sent. */
  readonly question: Buffer;
  readonly edns: Edns | undefined;
}

export type ParsedQuery =
  | { readonly kind: 'query'; readonly query: Query }
  /** To be answered with this response code. */
  | { readonly kind: 'refused'; readonly code: ResponseCode; readonly query: Query }
  /** Dropped without an answer: an answer to a response could loop, and a malformed message needs none. */
  | { readonly kind: 'dropped'; readonly reason: 'malformed' | 'not-a-query' };

const MALFORMED = { kind: 'dropped', reason: 'malformed' } as const;
const NO_QUESTION = Buffer.alloc(0);

/** Parses a message that a client sent. */
export function parseQuery(message: Buffer): ParsedQuery {
  if (message.length < HEADER_LENGTH || message.length > QUESTION_BYTES_MAX) return MALFORMED;
  const [id, flags] = [message.readUInt16BE(0), message.readUInt16BE(2)];
  if ((flags & FLAG_RESPONSE) !== 0) return { kind: 'dropped', reason: 'not-a-query' };
  const bare: Query = { id, flags, question: NO_QUESTION, edns: undefined };
  if ((flags & OPCODE_MASK) !== 0) return refused(responseCodes.notImplemented, bare);
  // One question per message (RFC 9619), with only EDNS and signatures as further records.
  const hasOneQuestion = message.readUInt16BE(4) === 1 && message.readUInt32BE(6) === 0;
  if (!hasOneQuestion) return refused(responseCodes.formatError, bare);
  const nameEnd = questionNameEnd(message);
  if (nameEnd === undefined || nameEnd + 4 > message.length) return MALFORMED;
  const question = message.subarray(HEADER_LENGTH, nameEnd + 4);
  const options = readOptions(message, nameEnd + 4);
  if (!options) return MALFORMED;
  const [edns, other] = options;
  const query: Query = { ...bare, question, edns };
  if (other) return refused(responseCodes.formatError, query);
  if (edns && edns.version > 0) return refused(responseCodes.badVersion, query);
  if (ZONE_TRANSFERS.has(message.readUInt16BE(nameEnd))) return refused(responseCodes.refused, query);
  return { kind: 'query', query };
}

const refused = (code: ResponseCode, query: Query): ParsedQuery => ({ kind: 'refused', code, query });

/** @returns the OPT records after the question; undefined if the records do not fill the rest of the message exactly */
function readOptions(message: Buffer, start: number): Edns[] | undefined {
  const found: Edns[] = [];
  let at = start;
  for (let left = message.readUInt16BE(10); left > 0; left -= 1) {
    const record = readRecord(message, at);
    if (!record) return undefined;
    if (record.type === TYPE_OPT) {
      if (record.fieldsAt !== at + 1) return undefined; // Its name is the root (RFC 6891, section 6.1.2).
      found.push(readEdns(message, record));
    }
    at = record.end;
  }
  return at === message.length ? found : undefined;
}

function readEdns(message: Buffer, { fieldsAt }: ResourceRecord): Edns {
  return {
    payloadBytes: message.readUInt16BE(fieldsAt + 2),
    version: message.readUInt8(fieldsAt + 5),
    isDnssecOk: (message.readUInt16BE(fieldsAt + 6) & DNSSEC_OK) !== 0,
  };
}

const UPPER_CASE_BIT = 0x20;
const isLetter = (byte: number) => (byte | UPPER_CASE_BIT) >= 0x61 && (byte | UPPER_CASE_BIT) <= 0x7a;

/** The question for the addresses of a host name in canonical text. */
export function addressQuery(name: string, type: number): Query {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')]));
  const question = Buffer.concat([...labels, Buffer.from([0, 0, type, 0, CLASS_IN])]);
  return { id: 0, flags: FLAG_RECURSION_DESIRED, question, edns: undefined };
}

/** The name of a question in lower case, without the last dot. */
export function questionName({ question }: Query): string {
  const labels: string[] = [];
  for (let at = 0, length = question[0] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.').toLowerCase();
}

/**
 * The message to ask a resolver with. The id and the case of each letter are random, because a forged answer must repeat both
 * (RFC 5452; "0x20"). The client's EDNS options (subnet, cookies) are not forwarded.
 * @param randomBytes two for the id, then one bit for each byte of the question
 */
export function upstreamQuestion({ flags, question, edns }: Query, randomBytes: Uint8Array): Buffer {
  const questionEnd = HEADER_LENGTH + question.length;
  const message = Buffer.alloc(questionEnd + (edns ? OPT_LENGTH : 0));
  message[0] = randomBytes[0]!;
  message[1] = randomBytes[1]!;
  message.writeUInt16BE(flags & FORWARDED_FLAGS, 2);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(edns ? 1 : 0, 10);
  question.copy(message, HEADER_LENGTH);
  // Length bytes are below 0x40, so no length looks like a letter. The last four bytes are type and class.
  for (let index = 0; index < question.length - 4; index += 1) {
    const isFlipped = (randomBytes[2 + (index >> 3)]! >> (index & 7)) & 1;
    if (isFlipped && isLetter(question[index]!)) message[HEADER_LENGTH + index]! ^= UPPER_CASE_BIT;
  }
  if (edns) writeOpt(message, questionEnd, edns.isDnssecOk, 0);
  return message;
}

/** The most bytes that `upstreamQuestion` needs. */
export const RANDOM_BYTES = 2 + Math.ceil((NAME_LENGTH_MAX + 4) / 8);

function writeOpt(message: Buffer, at: number, isDnssecOk: boolean, extendedCode: number): void {
  message.writeUInt16BE(TYPE_OPT, at + 1);
  message.writeUInt16BE(UDP_PAYLOAD_MAX, at + 3);
  message[at + 5] = extendedCode;
  message.writeUInt16BE(isDnssecOk ? DNSSEC_OK : 0, at + 7);
}

/** Whether a message can be the answer to a question of ours: a response with this id and exactly this question. */
export function isAnswerTo(asked: Buffer, message: Buffer, { ignoresCase = false } = {}): boolean {
  if (message.length < HEADER_LENGTH || message.readUInt16BE(0) !== asked.readUInt16BE(0)) return false;
  const flags = message.readUInt16BE(2);
  if ((flags & FLAG_RESPONSE) === 0 || (flags & OPCODE_MASK) !== 0 || message.readUInt16BE(4) !== 1) return false;
  const end = questionNameEnd(asked)! + 4;
  if (message.length < end) return false;
  if (message.compare(asked, HEADER_LENGTH, end, HEADER_LENGTH, end) === 0) return true;
  const [ours, theirs] = [asked, message].map((bytes) =>
    bytes.toString('latin1', HEADER_LENGTH, end - 4).toLowerCase(),
  );
  return ignoresCase && ours === theirs && message.compare(asked, end - 4, end, end - 4, end) === 0;
}

export const isTruncated = (message: Buffer) => (message.readUInt16BE(2) & FLAG_TRUNCATED) !== 0;

const RESPONSE_CODE_MASK = 0x0f;
const refusals: ReadonlySet<number> = new Set([
  responseCodes.serverFailure,
  responseCodes.notImplemented,
  responseCodes.refused,
]);

/** Whether the name server could not answer the question; another one may. */
export const isRefusal = (message: Buffer) => refusals.has(message.readUInt16BE(2) & RESPONSE_CODE_MASK);

/** The largest answer over UDP that the client accepts. */
export function udpPayloadMax({ edns }: Query): number {
  return edns ? Math.min(UDP_PAYLOAD_MAX, Math.max(PLAIN_PAYLOAD_MAX, edns.payloadBytes)) : PLAIN_PAYLOAD_MAX;
}

/** Changes a resolver's answer into the answer to the client: its id, its question in its spelling, our UDP payload size. */
export function toClientAnswer({ message, optAt }: Answer, { id, question }: Query): Buffer {
  message.writeUInt16BE(id, 0);
  question.copy(message, HEADER_LENGTH);
  if (optAt !== undefined) message.writeUInt16BE(UDP_PAYLOAD_MAX, optAt + 2);
  return message;
}

/** The head of an answer that is too large for UDP: the client asks again over TCP (RFC 2181, section 9). */
export function truncatedAnswer(answer: Buffer, query: Query): Buffer {
  const flags = answer.readUInt16BE(2) | FLAG_TRUNCATED;
  return emptyAnswer(query, flags, 0);
}

/** An answer without records. */
export function errorAnswer(query: Query, code: ResponseCode): Buffer {
  const recursionAvailable = 0x00_80;
  const flags = FLAG_RESPONSE | (query.flags & (OPCODE_MASK | 0x01_10)) | recursionAvailable;
  return emptyAnswer(query, flags | (code & 0x0f), code >> 4);
}

/** The answer without records to a question whose answer is withheld. */
export function withheldAnswer(answer: Buffer, query: Query): Buffer {
  return emptyAnswer(query, answer.readUInt16BE(2), 0);
}

function emptyAnswer({ id, question, edns }: Query, flags: number, extendedCode: number): Buffer {
  const questionEnd = HEADER_LENGTH + question.length;
  const message = Buffer.alloc(questionEnd + (edns ? OPT_LENGTH : 0));
  message.writeUInt16BE(id, 0);
  message.writeUInt16BE(flags, 2);
  message.writeUInt16BE(question.length > 0 ? 1 : 0, 4);
  message.writeUInt16BE(edns ? 1 : 0, 10);
  question.copy(message, HEADER_LENGTH);
  if (edns) writeOpt(message, questionEnd, edns.isDnssecOk, extendedCode);
  return message;
}

export const LENGTH_BYTES = 2;

export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** The end of the first message; if its length is not complete yet, the end of the length. */
export const messageEnd = (bytes: Buffer): number =>
  bytes.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + bytes.readUInt16BE(0);
