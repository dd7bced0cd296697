import { getSystemErrorName } from 'node:util';
import type { Credit } from '../metering/credit.ts';
import type { Meter } from '../metering/meter.ts';
import type { Accelerator, FlowUser, Notice } from './accelerator.ts';
import type { JoinedSides } from './joined-sides.ts';
import type { Borrower, Lendable, RawReader } from './pipe.ts';

interface PassageParts {
  readonly accelerator: Accelerator;
  readonly pipe: JoinedSides;
  readonly meter: Meter;
  readonly client: Lendable;
  readonly exit: Lendable;
  /** Releases what TypeScript has reserved for its next reads. */
  readonly prepare?: () => void;
}

/**
 * Lets the bytes of one tunnel pass through native code, while both directions are open and nothing waits. It takes the tunnel back for
 * ends, failures, missing credit and whatever else has to be decided, gives what is counted and not written to the lanes, and the
 * joined sides go on as if they had read it all.
 */
export class Passage implements FlowUser, Borrower, RawReader {
  /** While native code has the tunnel. */
  #flow: number | undefined;
  #credit: Credit | undefined;
  #toExit = 0;
  #toClient = 0;
  /** Something is to be decided that native code would only meet again. */
  #isOver = false;

  constructor(private readonly parts: PassageParts) {}

  /** @returns whether native code has the tunnel now, and nothing may be read here */
  enter(): boolean {
    const { accelerator, pipe, meter, client, exit } = this.parts;
    if (this.#isOver || this.#flow !== undefined || !pipe.isFlowing || !client.isReady || !exit.isReady) return false;
    const credit = meter.creditOfOutlet;
    if (!credit) return false;
    this.parts.prepare?.();
    const [clientDescriptor, exitDescriptor] = [client.lend(this), exit.lend(this)];
    if (clientDescriptor !== undefined && exitDescriptor !== undefined) {
      const id = accelerator.open(credit, { client: clientDescriptor, exit: exitDescriptor }, this);
      if (id !== undefined) {
        this.#flow = id;
        this.#credit = credit;
        this.#toExit = this.#toClient = 0;
        meter.setPassage(this);
        return true;
      }
    }
    client.returned();
    exit.returned();
    pipe.toExit.continueWith(undefined);
    pipe.toClient.continueWith(undefined);
    return false;
  }

  giveBack(): void {
    this.#leave({ isOver: true });
  }

  /** Within a batch of events others may follow that belong to TypeScript. */
  chunkRead(): void {
    queueMicrotask(() => this.enter());
  }

  noticed(notice: Notice): void {
    if (this.#flow === undefined) return;
    if (notice.kind === 'starved') {
      const mayStay = this.parts.meter.creditOfOutlet?.refillOutlet() && this.parts.accelerator.resume(this.#flow);
      if (!mayStay) this.#leave({ isOver: false });
      return;
    }
    this.#leave({ isOver: true });
    if (notice.kind === 'ended') this.parts[notice.side].sawEnd?.();
    if (notice.kind !== 'failed') return;
    const name = getSystemErrorName(-notice.error);
    const error = Object.assign(new Error(`read ${name}`), { code: name, errno: -notice.error, syscall: 'read' });
    this.parts[notice.side].fail(error);
  }

  collect(): void {
    if (this.#flow === undefined) return;
    this.#count(this.#flow);
    if (!this.parts.meter.creditOfOutlet) this.#leave({ isOver: false });
  }

  #count(id: number): void {
    const { meter, accelerator } = this.parts;
    const { toExit, toClient, lastAt } = accelerator.read(id);
    const [newToExit, newToClient] = [toExit - this.#toExit, toClient - this.#toClient];
    this.#toExit = toExit;
    this.#toClient = toClient;
    if (newToExit > 0) meter.passed('toExit', newToExit, lastAt);
    if (newToClient > 0) meter.passed('toClient', newToClient, lastAt);
  }

  #leave({ isOver }: { isOver: boolean }): void {
    const [flow, credit] = [this.#flow, this.#credit];
    this.#isOver ||= isOver;
    if (flow === undefined || !credit) return;
    const { accelerator, pipe, meter, client, exit } = this.parts;
    this.#flow = undefined;
    this.#count(flow);
    meter.setPassage(undefined);
    const [toExit, toClient] = accelerator.close(flow, credit);
    client.returned();
    exit.returned();
    pipe.toExit.continueWith(toExit);
    pipe.toClient.continueWith(toClient);
  }
}
