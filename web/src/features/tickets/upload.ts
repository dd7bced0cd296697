/** How a file is sent: the body is its content, and the server decides what it is. */
import type { CallOptions } from '@cellhop/contract/client';

const TIMEOUT_MS = 120_000;
const NAME_LENGTH_MAX = 200;

export function toUpload(file: File): CallOptions {
  return { file: { type: 'application/octet-stream', content: file }, timeoutMs: TIMEOUT_MS };
}

/** The end of the name says what it is. */
export function toUploadQuery({ name }: File): { name: string } {
  return { name: name.trim() === '' ? 'file' : name.slice(-NAME_LENGTH_MAX) };
}
