import { Lane } from './lane.ts';
import type { Pipe, PipeEnd, PipeTask, Relay, Side, SideListener, StopMode } from './pipe.ts';

/**
 * The close logic of two joined sides, shared by all relays: a half-close is forwarded as a half-close, a reset as a reset,
 * and a side that closes before both directions have ended counts as a reset. So truncated data never looks complete.
 */
export class JoinedSides implements Pipe {
  readonly toExit: Lane;
  readonly toClient: Lane;
  #client: Side;
  readonly #exit: Side;
  #openSides = 2;
  #isStopped = false;
  #end: PipeEnd = 'completed';

  constructor(
    private readonly task: PipeTask,
    private readonly onBothClosed: () => void = () => {},
  ) {
    this.#client = task.client;
    this.#exit = task.exit;
    this.toExit = new Lane(task.client, task.exit, 'toExit', task.meter);
    this.toClient = new Lane(task.exit, task.client, 'toClient', task.meter);
  }

  /** Both directions are open, and nothing waits for a grant. */
  get isFlowing(): boolean {
    const isOpen = !this.#isStopped && this.#openSides === 2 && this.#end === 'completed';
    return isOpen && this.toExit.isFlowing && this.toClient.isFlowing;
  }

  start(fromClient: Buffer, fromExit: Buffer): void {
    this.#openClient();
    const listener = this.#listener(this.toExit, this.toClient, 'exit-failed', () => this.#client);
    this.#exit.open({
      ...listener,
      closed: () => {
        this.task.exitClosed();
        listener.closed();
      },
    });
    this.toExit.start(fromClient);
    this.toClient.start(fromExit);
  }

  stop(mode: StopMode): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.toExit.stop();
    this.toClient.stop();
    for (const side of [this.#client, this.#exit]) {
      if (mode === 'deliver') side.resetAfterDelivery();
      else if (mode === 'reset') side.reset();
      else side.close();
    }
  }

  replaceClient(side: Side, early: Buffer, isEnded: boolean): void {
    this.#client = side;
    this.toExit.replaceSource(side);
    this.toClient.replaceDestination(side);
    this.#openClient();
    if (isEnded) side.end();
    this.toExit.start(early);
    this.toClient.start(Buffer.alloc(0));
  }

  /** Ignores events of a side that was replaced. */
  #openClient(): void {
    const side = this.#client;
    const listener = this.#listener(this.toClient, this.toExit, 'client-failed', () => this.#exit);
    side.open({
      data: (chunk) => side !== this.#client || listener.data(chunk),
      ended: () => side === this.#client && listener.ended(),
      failed: (restBytes) => side === this.#client && listener.failed(restBytes),
      closed: () => side === this.#client && listener.closed(),
    });
  }

  #listener(incoming: Lane, outgoing: Lane, failure: PipeEnd, other: () => Side): SideListener {
    const failed = (restBytes?: number) => {
      if (this.#isStopped || this.#end !== 'completed') return;
      this.#end = failure;
      // The last bytes of a destination may be its answer to what was being written.
      const isAnswer = failure === 'exit-failed' && (restBytes !== undefined || other().pendingBytes > 0);
      if (isAnswer || (restBytes ?? 0) > 0) other().resetAfterDelivery();
      else other().reset();
    };
    return {
      data: (chunk) => outgoing.forward(chunk),
      ended: () => {
        outgoing.end();
        if (!this.#isStopped) this.task.halfClosed();
      },
      failed,
      closed: () => {
        if (!incoming.isComplete || !outgoing.hasEnded) failed();
        this.#sideClosed();
      },
    };
  }

  #sideClosed(): void {
    this.#openSides -= 1;
    if (this.#openSides > 0) return;
    this.onBothClosed();
    if (this.#isStopped) return;
    this.#isStopped = true; // Both sides are closed, so a later `stop` by the tunnel has nothing to do.
    this.task.ended(this.#end);
  }
}

/** The portable relay: it uses only documented streams, and works between any two sides. */
export const streams: Relay = {
  kind: 'streams',
  buffersInUse: 0,
  start: (task) => {
    const pipe = new JoinedSides(task);
    pipe.start(task.early, Buffer.alloc(0));
    return pipe;
  },
};
