import { Lane } from './lane.ts';
import type { Pipe, PipeEnd, PipeOwner, PipeTask, Relay, Side, SideListener, StopMode } from './pipe.ts';

/**
 * The close logic of two joined sides, shared by all relays: a half-close is forwarded as a half-close, a reset as a reset,
 * and a side that closes before both directions have ended counts as a reset. So truncated data never looks complete.
 */
export class JoinedSides implements Pipe {
  readonly toExit: Lane;
  readonly toClient: Lane;
  #client: Side;
  readonly #exit: Side;
  /** All that is kept of the task: its early bytes would be a part of larger memory. */
  readonly #owner: PipeOwner;
  #openSides = 2;
  #isStopped = false;
  #end: PipeEnd = 'completed';

  constructor(
    task: PipeTask,
    private readonly onBothClosed?: () => void,
  ) {
    this.#owner = task.owner;
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
    this.#exit.open(new SideEvents(this, this.#exit, { incoming: this.toExit, outgoing: this.toClient }));
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

  isReplaced(side: Side): boolean {
    return side !== this.#client && side !== this.#exit;
  }

  halfClosed(): void {
    if (!this.#isStopped) this.#owner.halfClosed();
  }

  failed(side: Side, restBytes: number | undefined): void {
    if (this.#isStopped || this.#end !== 'completed') return;
    const isExit = side === this.#exit;
    const other = isExit ? this.#client : this.#exit;
    this.#end = isExit ? 'exit-failed' : 'client-failed';
    // The last bytes of a destination may be its answer to what was being written.
    const isAnswer = isExit && (restBytes !== undefined || other.pendingBytes > 0);
    if (isAnswer || (restBytes ?? 0) > 0) other.resetAfterDelivery();
    else other.reset();
  }

  /** @param areBothEnded both directions, with all of their bytes */
  closed(side: Side, areBothEnded: boolean): void {
    if (side === this.#exit) this.#owner.exitClosed();
    if (!areBothEnded) this.failed(side, undefined);
    this.#sideClosed();
  }

  #openClient(): void {
    const side = this.#client;
    side.open(new SideEvents(this, side, { incoming: this.toClient, outgoing: this.toExit }));
  }

  #sideClosed(): void {
    this.#openSides -= 1;
    if (this.#openSides > 0) return;
    this.onBothClosed?.();
    if (this.#isStopped) return;
    this.#isStopped = true; // Both sides are closed, so a later `stop` by the tunnel has nothing to do.
    this.#owner.pipeEnded(this.#end);
  }
}

/**
 * Events of one side. Those of a side that was replaced are ignored. One object, because functions for each event of each side were a sixth of
 * the memory of an idle tunnel.
 */
class SideEvents implements SideListener {
  readonly #incoming: Lane;
  readonly #outgoing: Lane;

  /** @param lanes towards this side, and from it */
  constructor(
    private readonly pipe: JoinedSides,
    private readonly side: Side,
    lanes: { readonly incoming: Lane; readonly outgoing: Lane },
  ) {
    this.#incoming = lanes.incoming;
    this.#outgoing = lanes.outgoing;
  }

  data(chunk: Buffer): boolean {
    return this.#isReplaced || this.#outgoing.forward(chunk);
  }

  ended(): void {
    if (this.#isReplaced) return;
    this.#outgoing.end();
    this.pipe.halfClosed();
  }

  failed(restBytes?: number): void {
    if (!this.#isReplaced) this.pipe.failed(this.side, restBytes);
  }

  closed(): void {
    if (!this.#isReplaced) this.pipe.closed(this.side, this.#incoming.isComplete && this.#outgoing.hasEnded);
  }

  get #isReplaced(): boolean {
    return this.pipe.isReplaced(this.side);
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
