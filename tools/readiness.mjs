// @ts-check
import net from 'node:net';
import { Problem } from './problem.mjs';

const READY_TIMEOUT_MS = 60_000;

/** Returns undefined once ready, else what it found instead. @typedef {() => Promise<string | undefined>} Probe */

/** @param {string} address @returns {Probe} */
export function returnsOk(address) {
  return async () => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
      const text = await response.text();
      return response.status === 200 ? undefined : `${address}: ${response.status} ${text.slice(0, 300)}`;
    } catch (error) {
      // A refused connection is normal until the program listens.
      return `${address}: ${String(/** @type {Error} */ (error).cause ?? error)}`;
    }
  };
}

/** Whether any proxy is for sale, which needs a check of its exit. @param {string} url of the API @returns {Probe} */
export function hasOffers(url) {
  return async () => {
    const response = await fetch(`${url}/v1/proxies/lowest-price`, { signal: AbortSignal.timeout(5000) });
    const { data } = await response.json();
    return data.megabytePrice === null ? 'no proxy is for sale' : undefined;
  };
}

/**
 * Gives up in silence: what the probe waits for may never happen.
 * @param {Probe} probe @param {number} limitMs @returns {Probe}
 */
export function forAtMost(probe, limitMs) {
  const deadline = Date.now() + limitMs;
  return async () => (Date.now() > deadline ? undefined : probe());
}

/** @param {number} port @param {string} host @returns {Probe} */
export function acceptsConnections(port, host) {
  return () =>
    new Promise((resolve) => {
      const socket = net.connect({ port, host, timeout: 1000 });
      const settle = (/** @type {string | undefined} */ finding) => {
        socket.destroy();
        resolve(finding);
      };
      socket.once('connect', () => settle(undefined));
      socket.once('timeout', () => settle(`${host}:${port}: no response`));
      socket.once('error', (error) => settle(`${host}:${port}: ${error.message}`));
    });
}

/**
 * Repeats the probe until it succeeds.
 * @param {Probe} probe
 * @param {() => void} check called before each probe; throws if waiting is pointless
 * @param {(finding: string) => void} [onSlow] called every minute; default: throws
 */
export async function waitUntilReady(probe, check, onSlow = giveUp) {
  let deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    check();
    const finding = await probe();
    if (finding === undefined) return;
    check();
    if (Date.now() > deadline) {
      onSlow(finding);
      deadline = Date.now() + READY_TIMEOUT_MS;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {string} finding */
function giveUp(finding) {
  throw new Problem(`The start took longer than a minute. Last result: ${finding}`);
}
