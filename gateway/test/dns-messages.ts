/** Builds and reads DNS messages for tests; shares no code with the gateway's parser. */

export interface QuestionOptions {
  id?: number;
  type?: number;
  /** The UDP payload size of the OPT record; undefined: no OPT record. */
  payloadBytes?: number;
  flags?: number;
}

export const TYPE = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, SVCB: 64, HTTPS: 65, AXFR: 252, ANY: 255 };

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

export function question(
  name: string,
  { id = 0x1234, type = TYPE.A, payloadBytes, flags = 0x0100 }: QuestionOptions = {},
) {
  const hasOpt = payloadBytes !== undefined;
  return Buffer.concat([
    words(id, flags, 1, 0, 0, hasOpt ? 1 : 0),
    nameBytes(name),
    words(type, 1),
    ...(hasOpt ? [Buffer.from([0]), words(41, payloadBytes, 0, 0, 0)] : []),
  ]);
}

export interface RecordOptions {
  type: number;
  ttlSeconds?: number;
  data: Buffer;
}

/** The answer to a question, with its id and its spelling. */
export function answerTo(asked: Buffer, records: readonly RecordOptions[], flags = 0x8180): Buffer {
  const end = questionEnd(asked);
  const hasOpt = asked.readUInt16BE(10) > 0;
  return Buffer.concat([
    asked.subarray(0, 2),
    words(flags, 1, records.length, 0, hasOpt ? 1 : 0),
    asked.subarray(12, end),
    ...records.map(({ type, ttlSeconds = 60, data }) =>
      Buffer.concat([words(0xc00c, type, 1, ttlSeconds >>> 16, ttlSeconds & 0xffff, data.length), data]),
    ),
    ...(hasOpt ? [Buffer.from([0]), words(41, 4096, 0, 0, 0)] : []),
  ]);
}

export const address = (text: string): RecordOptions => ({
  type: TYPE.A,
  data: Buffer.from(text.split('.').map(Number)),
});

/** A record of the type HTTPS or SVCB (RFC 9460). @param parameters key and value of each */
export function service(type: number, ...parameters: readonly (readonly [key: number, value: Uint8Array])[]) {
  const encoded = parameters.map(([key, value]) => Buffer.concat([words(key, value.length), value]));
  return { type, data: Buffer.concat([words(1), nameBytes('svc.example.test'), ...encoded]) };
}

export const text = (length: number): RecordOptions => {
  const full = Math.floor(length / 256);
  const parts = Array.from({ length: full }, () => Buffer.concat([Buffer.from([255]), Buffer.alloc(255, 'x')]));
  const rest = length - full * 256;
  if (rest > 0) parts.push(Buffer.concat([Buffer.from([rest - 1]), Buffer.alloc(rest - 1, 'y')]));
  return { type: TYPE.TXT, data: Buffer.concat(parts) };
};

export interface ReadMessage {
  id: number;
  code: number;
  isTruncated: boolean;
  /** The name in its original spelling. */
  name: string;
  type: number;
  answers: number;
  payloadBytes: number | undefined;
  /** The last four bytes of the first record. */
  address: string | undefined;
}

export function read(message: Buffer): ReadMessage {
  const end = questionEnd(message);
  const flags = message.readUInt16BE(2);
  const answers = message.readUInt16BE(6);
  const hasOpt = message.readUInt16BE(10) > 0;
  return {
    id: message.readUInt16BE(0),
    code: flags & 0x0f,
    isTruncated: (flags & 0x0200) !== 0,
    name: readName(message),
    type: message.readUInt16BE(end - 4),
    answers,
    payloadBytes: hasOpt ? message.readUInt16BE(message.length - 8) : undefined,
    address: answers > 0 ? message.subarray(end + 12, end + 16).join('.') : undefined,
  };
}

export function readName(message: Buffer): string {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.');
}

export function framed(...messages: readonly Buffer[]): Buffer {
  return Buffer.concat(messages.flatMap((message) => [words(message.length), message]));
}

function questionEnd(message: Buffer): number {
  if (message.readUInt16BE(4) === 0) return 12;
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) at += 1 + length;
  return at + 5;
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}
