// @ts-check
import net from 'node:net';
import { Problem } from './problem.mjs';

const READY_TIMEOUT_MS = 60_000;

/** Undefined once ready, else what was heard instead. @typedef {() => Promise<string | undefined>} Question */

/** @param {string} address @returns {Question} */
export function answersOk(address) {
  return async () => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
      const text = await response.text();
      return response.status === 200 ? undefined : `${address}: ${response.status} ${text.slice(0, 300)}`;
    } catch (error) {
      // A refused connection is the normal answer of a program that has not listened yet.
      return `${address}: ${String(/** @type {Error} */ (error).cause ?? error)}`;
    }
  };
}

/** @param {number} port @param {string} host @returns {Question} */
export function acceptsConnections(port, host) {
  return () =>
    new Promise((resolve) => {
      const socket = net.connect({ port, host, timeout: 1000 });
      const settle = (/** @type {string | undefined} */ heard) => {
        socket.destroy();
        resolve(heard);
      };
      socket.once('connect', () => settle(undefined));
      socket.once('timeout', () => settle(`${host}:${port}: no answer`));
      socket.once('error', (error) => settle(`${host}:${port}: ${error.message}`));
    });
}

/**
 * Asks until the answer is "ready".
 * @param {Question} question
 * @param {() => void} check called before each question; throws when waiting has become pointless
 */
export async function waitUntilReady(question, check) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    check();
    const heard = await question();
    if (heard === undefined) return;
    check();
    if (Date.now() > deadline) throw new Problem(`The start took longer than a minute. Last heard from ${heard}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
