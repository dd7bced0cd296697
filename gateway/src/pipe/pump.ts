import type { Lease } from '../metering/lease.ts';
import type { SliceReader } from './handle.ts';
import type { Accelerator } from './accelerator.ts';
import { JoinedSides, streams } from './joined-sides.ts';
import type { Lane } from './lane.ts';
import { Passage } from './passage.ts';
import type { DirectReads, Pipe, PipeTask, Relay } from './pipe.ts';

const KIB = 1024;
/** The read size of a busy lane. With a quarter of it, a read costs half as much CPU time more per byte. */
const WIDE_BYTES = 256 * KIB;
/** Both lanes of a tunnel together read at most 64 KiB beyond the grant. */
const NARROW_BYTES = 32 * KIB;
/** After a read of this size the lane gets a pooled buffer. */
const BUSY_BYTES = 16 * KIB;
const QUIET_BYTES = 4 * KIB;
const QUIET_READS = 16;

/**
 * Reads into pooled buffers instead of newly allocated ones, which halves the CPU time of bulk traffic.
 * @param accelerator native code, through which the bytes pass while nothing has to be decided
 */
export function createPump(buffers: number, accelerator?: Accelerator): Relay {
  const pool = new BufferPool(buffers, WIDE_BYTES);
  // A read and its callback run synchronously, and the callback copies small reads: all quiet lanes can share one buffer.
  const shared = Buffer.allocUnsafeSlow(NARROW_BYTES);
  return {
    kind: accelerator ? 'splice' : 'pump',
    get buffersInUse() {
      return pool.inUse;
    },
    get native() {
      return accelerator?.measure();
    },
    sockets: accelerator?.sockets,
    start: (task) => {
      const raw = accelerator && startRaw(task, accelerator);
      if (raw) return raw;
      const [client, exit] = [task.client.direct, task.exit.direct];
      const canPump = client?.isReady && exit?.isReady;
      return canPump ? startPump(task, { client, exit }, { pool, shared, accelerator }) : streams.start(task);
    },
  };
}

function startPump(
  task: PipeTask,
  { client, exit }: { client: DirectReads; exit: DirectReads },
  { pool, shared, accelerator }: { pool: BufferPool; shared: Buffer; accelerator: Accelerator | undefined },
): Pipe {
  const fromClient = new PumpReader(client, pool, shared);
  const fromExit = new PumpReader(exit, pool, shared);
  const earlyFromClient = Buffer.concat([task.early, client.takeOver(fromClient)]);
  const earlyFromExit = exit.takeOver(fromExit);
  const pipe = new JoinedSides(task, () => {
    fromClient.release();
    fromExit.release();
  });
  fromClient.lane = pipe.toExit;
  fromExit.lane = pipe.toClient;
  pipe.start(earlyFromClient, earlyFromExit);
  if (accelerator) {
    const readers = [fromClient, fromExit];
    const prepare = () => readers.forEach((reader) => reader.releaseLease());
    const passage = new Passage({ accelerator, pipe, meter: task.meter, client, exit, prepare });
    for (const reader of readers) reader.passage = passage;
    passage.enter();
  }
  return pipe;
}

/**
 * Both sides are sockets of native code: no socket of Node is created, and what has to be decided is read in chunks.
 * @returns undefined if there are others, or if each chunk has to be seen
 */
function startRaw(task: PipeTask, accelerator: Accelerator): Pipe | undefined {
  const [client, exit] = [task.client.raw, task.exit.raw];
  if (!client || !exit || !task.meter.creditOfOutlet) return undefined;
  const early = client.takeUnread();
  const pipe = new JoinedSides(task);
  const passage = new Passage({ accelerator, pipe, meter: task.meter, client, exit });
  client.reader = exit.reader = passage;
  pipe.start(early.length > 0 ? Buffer.concat([task.early, early]) : task.early, exit.takeUnread());
  passage.enter();
  return pipe;
}

/** Reusable large read buffers. A lane without one reads into the shared buffer and copies. */
class BufferPool {
  readonly #free: Buffer[] = [];
  #inUse = 0;

  constructor(
    private readonly maximum: number,
    readonly bufferBytes: number,
  ) {}

  get inUse(): number {
    return this.#inUse;
  }

  acquire(): Buffer | undefined {
    if (this.#inUse >= this.maximum) return undefined;
    this.#inUse += 1;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  release(buffer: Buffer): void {
    this.#inUse -= 1;
    this.#free.push(buffer);
  }
}

/**
 * Reads one side into a buffer. Ownership: if no bytes are pending after `write`, the kernel has copied the chunk and the
 * buffer is free. Otherwise the write owns the buffer until its callback, and nothing may be read into it before.
 */
class PumpReader implements SliceReader {
  /** Set before the first read. The side requests its first slice during `takeOver`, when the lane does not exist yet. */
  lane: Lane | undefined;
  passage: Passage | undefined;
  #pooled: Buffer | undefined;
  #quietReads = 0;
  /** Set if the next read is wide: the credit for all of it is reserved. */
  #lease: Lease | undefined;

  constructor(
    private readonly side: DirectReads,
    private readonly pool: BufferPool,
    private readonly shared: Buffer,
  ) {}

  readonly buffer = (): Buffer => {
    if (this.#pooled === undefined) return this.shared;
    return this.#lease ? this.#pooled : this.#pooled.subarray(0, NARROW_BYTES);
  };

  readonly callback = (count: number, slice: Uint8Array): boolean => {
    const lease = this.#lease;
    this.#lease = undefined;
    const chunk = Buffer.from(slice.buffer, slice.byteOffset, count);
    const isFlowing = this.lane?.forward(this.#pooled === undefined ? Buffer.from(chunk) : chunk, lease) ?? false;
    this.#adapt(count, isFlowing);
    if (isFlowing && this.passage?.enter()) return true; // Nothing more is read here until it leaves.
    // Wide only after a read that filled the buffer, because more data is waiting, and only with credit for all of it.
    const isBusy = isFlowing && count >= NARROW_BYTES && this.#pooled !== undefined;
    if (isBusy) this.#lease = this.lane?.lease(WIDE_BYTES, this.#recalled);
    return isFlowing;
  };

  /** Others need the bytes that are reserved for the pending slice. Nothing has been read into it yet. */
  readonly #recalled = (): void => {
    this.releaseLease();
    if (this.#pooled !== undefined) this.side.shrinkNext(this.#pooled.subarray(0, NARROW_BYTES));
  };

  /** Both sides have closed. */
  release(): void {
    this.releaseLease();
    if (this.#pooled !== undefined) this.pool.release(this.#pooled);
    this.#pooled = undefined;
  }

  releaseLease(): void {
    this.#lease?.settle(0);
    this.#lease = undefined;
  }

  #adapt(count: number, isFlowing: boolean): void {
    if (count >= BUSY_BYTES) this.#pooled ??= this.pool.acquire();
    this.#quietReads = count < QUIET_BYTES ? this.#quietReads + 1 : 0;
    if (isFlowing && this.#quietReads >= QUIET_READS) this.release();
  }
}
