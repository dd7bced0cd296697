import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Of the ELF header: the processor, and the name that Node.js has for it. */
const PROCESSORS = new Map([
  [0x3e, 'x64'],
  [0xb7, 'arm64'],
]);
const HEADER_BYTES = 64;
/** A 64-bit file with the low byte first, which these processors have on Linux. */
const MAGIC = '\x7fELF\x02\x01';
const SHARED_OBJECT = 3;

/**
 * What the system does not say when it loads native code: it finds no fault in a file that was cut off, and the process ends as soon as it
 * reads what is missing. Of another processor's file it says that there is none.
 * @throws Error with the reason
 */
export function checkNativeFile(file: string, processor: string = process.arch): void {
  // Of others only the system knows what it loads.
  if (![...PROCESSORS.values()].includes(processor)) return;
  const { header, sizeBytes } = readHeader(file);
  if (sizeBytes === 0) throw new Error('the file is empty');
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC || header.readUInt16LE(16) !== SHARED_OBJECT)
    throw new Error('the file is no native code of 64-bit Linux');
  const machine = header.readUInt16LE(18);
  if (PROCESSORS.get(machine) !== processor)
    throw new Error(`the file is for ${PROCESSORS.get(machine) ?? 'another processor'}, and this is ${processor}`);
  // Linkers write the table of sections last.
  const sections = header.readBigUInt64LE(40);
  const endBytes = Number(sections) + header.readUInt16LE(58) * header.readUInt16LE(60);
  if (sizeBytes < Math.max(endBytes, HEADER_BYTES)) throw new Error('the file is incomplete');
}

function readHeader(file: string): { header: Buffer; sizeBytes: number } {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, header);
    return { header, sizeBytes: fstatSync(descriptor).size };
  } finally {
    closeSync(descriptor);
  }
}
