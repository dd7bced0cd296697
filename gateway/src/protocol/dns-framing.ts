/** DNS messages over TCP: each follows its length (RFC 1035, section 4.2.2). */

export const LENGTH_BYTES = 2;

export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** The end of the first message; if its length is not complete yet, the end of the length. */
export const messageEnd = (bytes: Buffer): number =>
  bytes.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + bytes.readUInt16BE(0);
