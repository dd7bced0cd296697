import type { Logger } from 'pino';
import { Loop } from '../background.ts';
import type { RefusedDestinations } from '../exits/refused-destinations.ts';
import type { Limits } from '../limits.ts';
import type { ControlClient } from './control-client.ts';
import { Heartbeat, type HeartbeatSettings } from './heartbeat.ts';

interface RefusedListSettings {
  readonly control: Pick<ControlClient, 'readRefusedPage'>;
  readonly refused: Pick<RefusedDestinations, 'revision' | 'replace'>;
  /** The list may have changed while it was read. */
  readonly onRead: () => void;
  readonly limits: Pick<Limits, 'helloIntervalMs' | 'helloRetryMs'>;
  readonly log: Logger;
}

/**
 * Reads the list of refused destinations when a heartbeat says that there is another one: by pages, beside the heartbeats, because a slow line
 * takes minutes for all of it. After a failure it goes on behind the last page that arrived.
 */
export class RefusedList {
  #isWanted = false;
  /** That of the first page. */
  #revision: string | undefined;
  #entries: string[] = [];
  #isFailing = false;
  readonly #loop: Loop;

  constructor(private readonly settings: RefusedListSettings) {
    this.#loop = new Loop(settings.log, 'refused destinations', () => this.#read());
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** @param revision that of the control plane; undefined: it knows no list */
  compare(revision: string | undefined): void {
    if (revision === undefined || revision === this.settings.refused.revision || this.#isWanted) return;
    this.#isWanted = true;
    this.#loop.request();
  }

  async #read(): Promise<number> {
    const { limits, log } = this.settings;
    try {
      while (this.#isWanted) await this.#readPage();
      this.#isFailing = false;
      return limits.helloIntervalMs;
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, 'The list of refused destinations is not read: trying again');
      this.#isFailing = true;
      return limits.helloRetryMs;
    }
  }

  async #readPage(): Promise<void> {
    const { control, refused, onRead } = this.settings;
    const page = await control.readRefusedPage(this.#entries.at(-1));
    this.#revision ??= page.revision;
    this.#entries.push(...page.entries);
    // A page without entries would be asked for again and again.
    if (!page.isLast && page.entries.length > 0) return;
    refused.replace(this.#revision, this.#entries);
    this.#revision = undefined;
    this.#entries = [];
    this.#isWanted = false;
    onRead();
  }
}

/** The heartbeats, and the list that they tell about. */
export function openHeartbeat(settings: HeartbeatSettings & Omit<RefusedListSettings, 'onRead'>) {
  const heartbeat = new Heartbeat(settings);
  const refusedList = new RefusedList({ ...settings, onRead: () => heartbeat.request() });
  heartbeat.onRefusedRevision = (revision) => refusedList.compare(revision);
  return { heartbeat, refusedList };
}
