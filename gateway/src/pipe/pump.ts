import type { Lease } from '../metering/lease.ts';
import { BufferPool } from './buffer-pool.ts';
import type { SliceReader } from './handle.ts';
import { JoinedSides } from './joined-sides.ts';
import type { Lane } from './lane.ts';
import type { Mover, Pipe, PipeTask } from './pipe.ts';
import type { DirectReads } from './side.ts';
import { streams } from './streams.ts';

const KIB = 1024;
/** What a busy lane reads at once; a quarter of it costs half as much again. */
const WIDE_BYTES = 256 * KIB;
/** Both lanes of a tunnel together read at most 64 KiB that nobody has paid for. */
const NARROW_BYTES = 32 * KIB;
/** A read of this size gives the lane a buffer of its own. */
const BUSY_BYTES = 16 * KIB;
const QUIET_BYTES = 4 * KIB;
const QUIET_READS = 16;

/** Reads into pooled buffers instead of new ones, which halves the processor time of bulk traffic. */
export function createPump(buffers: number): Mover {
  const pool = new BufferPool(buffers, WIDE_BYTES);
  // A read and its callback are one step, and small reads are copied out in it: all quiet lanes can share a buffer.
  const shared = Buffer.allocUnsafeSlow(NARROW_BYTES);
  return {
    kind: 'pump',
    get buffersInUse() {
      return pool.inUse;
    },
    start: (task) => {
      const [client, exit] = [task.client.direct, task.exit.direct];
      const isMovable = client?.isReady && exit?.isReady;
      return isMovable ? startPump(task, { client, exit }, pool, shared) : streams.start(task);
    },
  };
}

function startPump(
  task: PipeTask,
  { client, exit }: { client: DirectReads; exit: DirectReads },
  pool: BufferPool,
  shared: Buffer,
): Pipe {
  const fromClient = new PumpReader(client, pool, shared);
  const fromExit = new PumpReader(exit, pool, shared);
  const earlyFromClient = Buffer.concat([task.early, client.begin(fromClient)]);
  const earlyFromExit = exit.begin(fromExit);
  const pipe = new JoinedSides(task, () => {
    fromClient.release();
    fromExit.release();
  });
  fromClient.lane = pipe.toExit;
  fromExit.lane = pipe.toClient;
  pipe.start(earlyFromClient, earlyFromExit);
  return pipe;
}

/**
 * Reads one side into a buffer. Ownership: after `write`, no pending bytes mean that the kernel took the chunk and the
 * buffer is free. Otherwise it is the write's until its callback, and nothing may be read into it before.
 */
class PumpReader implements SliceReader {
  /** Set before the first read: the side asks for its first slice while it is taken over, before there is a lane. */
  lane: Lane | undefined;
  #own: Buffer | undefined;
  #quietReads = 0;
  /** The next read is wide: credit is set aside for all of it. */
  #lease: Lease | undefined;

  constructor(
    private readonly side: DirectReads,
    private readonly pool: BufferPool,
    private readonly shared: Buffer,
  ) {}

  readonly buffer = (): Buffer => {
    if (this.#own === undefined) return this.shared;
    return this.#lease ? this.#own : this.#own.subarray(0, NARROW_BYTES);
  };

  readonly callback = (count: number, slice: Uint8Array): boolean => {
    const lease = this.#lease;
    this.#lease = undefined;
    const chunk = Buffer.from(slice.buffer, slice.byteOffset, count);
    const isFlowing = this.lane?.forward(this.#own === undefined ? Buffer.from(chunk) : chunk, lease) ?? false;
    this.#adapt(count, isFlowing);
    // Wide only behind a read that was filled, because more is waiting, and only with credit for all of it.
    const isBusy = isFlowing && count >= NARROW_BYTES && this.#own !== undefined;
    if (isBusy) this.#lease = this.lane?.lease(WIDE_BYTES, this.#recalled);
    return isFlowing;
  };

  /** Others need the bytes that were set aside for the slice that lies open. Nothing has been read into it yet. */
  readonly #recalled = (): void => {
    this.#giveLeaseBack();
    if (this.#own !== undefined) this.side.shrinkNext(this.#own.subarray(0, NARROW_BYTES));
  };

  /** Both sides have closed. */
  release(): void {
    this.#giveLeaseBack();
    if (this.#own !== undefined) this.pool.giveBack(this.#own);
    this.#own = undefined;
  }

  #giveLeaseBack(): void {
    this.#lease?.settle(0);
    this.#lease = undefined;
  }

  #adapt(count: number, isFlowing: boolean): void {
    if (count >= BUSY_BYTES) this.#own ??= this.pool.take();
    this.#quietReads = count < QUIET_BYTES ? this.#quietReads + 1 : 0;
    if (isFlowing && this.#quietReads >= QUIET_READS) this.release();
  }
}
