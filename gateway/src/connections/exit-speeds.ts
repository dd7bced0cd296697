import type { Exit } from '../exits/exit.ts';
import type { Connection } from './connection.ts';

/** Shorter bursts come out of buffers, and are no speed of an exit. */
const SPAN_MS = 5_000;

/** How fast customers' tunnels were through each exit, all of them together. */
export class ExitSpeeds {
  #usedBytes = new Map<Connection, number>();
  #at = performance.now();
  readonly #fastest = new WeakMap<Exit, number>();

  /** Call it at least every second. */
  observe(connections: Iterable<Connection>, now = performance.now()): void {
    const elapsedMs = now - this.#at;
    if (elapsedMs < SPAN_MS) return;
    const before = this.#usedBytes;
    this.#usedBytes = new Map();
    this.#at = now;
    const grown = new Map<Exit, number>();
    for (const connection of connections) {
      const { exit, credit } = connection;
      this.#usedBytes.set(connection, credit.usedBytes);
      const bytes = credit.usedBytes - (before.get(connection) ?? credit.usedBytes);
      if (bytes > 0) grown.set(exit, (grown.get(exit) ?? 0) + bytes);
    }
    for (const [exit, bytes] of grown) {
      const bytesPerSecond = Math.round((bytes * 1000) / elapsedMs);
      this.#fastest.set(exit, Math.max(bytesPerSecond, this.#fastest.get(exit) ?? 0));
    }
  }

  /** @returns the fastest since the last call; undefined without traffic */
  take(exit: Exit): number | undefined {
    const bytesPerSecond = this.#fastest.get(exit);
    this.#fastest.delete(exit);
    return bytesPerSecond;
  }
}
