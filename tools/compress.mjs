// @ts-check
/** Writes a .br and a .gz beside every text asset, which the server sends instead of compressing it for each request. */
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TEXT = /\.(js|css|html|svg|json|map|txt|webmanifest)$/;
/** Below this, compression saves less than the extra headers cost. */
const WORTHWHILE_BYTES = 512;

/** The highest, but for the flags: they get no smaller by it, and take twice the time. @param {string} name of a file */
const qualityOf = (name) => (name.endsWith('.svg') ? 10 : constants.BROTLI_MAX_QUALITY);

const directory = process.argv[2] ?? 'dist';
for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !TEXT.test(entry.name)) continue;
  const file = path.join(entry.parentPath, entry.name);
  const bytes = fs.readFileSync(file);
  if (bytes.length < WORTHWHILE_BYTES) continue;
  fs.writeFileSync(
    `${file}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: qualityOf(entry.name) } }),
  );
  fs.writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
