#!/usr/bin/env node
// @ts-check
/** Prints one line: is the receipt valid? Exit code 0: valid; 1: not valid; 2: it could not be checked. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkReceipt } from './check.mjs';

const USAGE = 'usage: cellhop-receipt <receipt.json> [--key <key.txt>] [--earlier <receipt.json>]';

process.exitCode = await main();

async function main() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { key: { type: 'string' }, earlier: { type: 'string' } },
    });
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new Error(USAGE);
    const receipt = readReceipt(file);
    const problem = await checkReceipt(receipt, {
      ...(values.key !== undefined && { publicKey: readText(values.key).trim() }),
      ...(values.earlier !== undefined && { earlier: readReceipt(values.earlier) }),
    });
    if (problem !== undefined) {
      console.log(`NOT GOOD: ${problem}`);
      return 1;
    }
    const signature = values.key === undefined ? 'the signature was not checked (no --key)' : 'the signature fits';
    console.log(`GOOD: ${receipt.charges.length} charges, $${receipt.total} in all; ${signature}`);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

/** @param {string} file */
function readText(file) {
  return readFileSync(file, 'utf8');
}

/** The receipt alone, or as the API returns it: `{ "data": receipt }`. @param {string} file */
function readReceipt(file) {
  const value = JSON.parse(readText(file));
  return value?.data ?? value;
}
