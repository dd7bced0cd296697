/** The PostgreSQL server of a fault run. It can be killed in three ways and is restarted behind stable ports. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../tools/pg.mjs';
import { Network } from './network.ts';

const DATA_DIRECTORY = '.data/pg-faults';

export class Server {
  #starts = 1;
  #running: Awaited<ReturnType<typeof startPostgres>>;
  readonly #networks: Network[] = [];

  private constructor(running: Awaited<ReturnType<typeof startPostgres>>) {
    this.#running = running;
  }

  static async start(): Promise<Server> {
    return new Server(await startPostgres({ dataDir: DATA_DIRECTORY }));
  }

  /** Opens a separate route to the server. @returns its network and its port, which does not change on restarts */
  async openRoute(): Promise<{ network: Network; port: number }> {
    const network = new Network(() => this.#running.port);
    this.#networks.push(network);
    return { network, port: await network.listen() };
  }

  /** The URL of a database through a route. */
  urlBy({ port }: { port: number }, pathname?: string): string {
    const url = new URL(this.#running.url);
    url.port = String(port);
    if (pathname !== undefined) url.pathname = pathname;
    return url.href;
  }

  /** After a backend was killed, the server assumes corrupt shared memory: it ends all backends and recovers. */
  async killBackend(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#running.url });
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 1",
    );
    if (rows[0]) kill(rows[0].pid, 'SIGKILL');
    await client.end().catch(() => {});
  }

  killPostmaster(): void {
    kill(this.#postmaster, 'SIGKILL');
  }

  /** Like `pg_ctl stop -m immediate`: no checkpoint, recovery at the next start. */
  stopImmediately(): void {
    kill(this.#postmaster, 'SIGQUIT');
  }

  async restart(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#running = await startPostgres({ dataDir: DATA_DIRECTORY });
        this.#starts += 1;
        return;
      } catch (error) {
        // Backends of a killed postmaster may still be exiting.
        if (attempt === 10) throw error;
        await pause(500);
      }
    }
  }

  async stop(): Promise<void> {
    for (const network of this.#networks) network.close();
    for (; this.#starts > 0; this.#starts -= 1) await this.#running.stop();
  }

  get #postmaster(): number {
    const file = path.join(this.#running.directory, 'postmaster.pid');
    return Number(fs.readFileSync(file, 'utf8').split('\n')[0]);
  }
}

function kill(pid: number, signal: 'SIGKILL' | 'SIGQUIT'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already exited, for example after another kill.
  }
}
