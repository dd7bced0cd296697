// @ts-check
import { Problem } from './problem.mjs';

const READY_TIMEOUT_MS = 60_000;

/** What an answer said, for the message of a program that never became ready. @param {string} address */
async function ask(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
    const text = await response.text();
    return { ok: response.status === 200, said: `${response.status} ${text.slice(0, 300)}` };
  } catch (error) {
    // A refused connection is the normal answer of a program that has not listened yet.
    return { ok: false, said: String(/** @type {Error} */ (error).cause ?? error) };
  }
}

/**
 * Waits until the address answers 200.
 * @param {string} address
 * @param {() => void} check called between two questions; throws when waiting has become pointless
 */
export async function waitUntilReady(address, check) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    check();
    const { ok, said } = await ask(address);
    check();
    if (ok) return;
    if (Date.now() > deadline) throw new Problem(`${address} did not become ready in a minute. Last answer: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
