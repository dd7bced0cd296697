import { JoinedSides } from './joined-sides.ts';
import type { Mover } from './pipe.ts';

/** The plain mover: nothing but documented streams. It works between any two sides. */
export const streams: Mover = {
  kind: 'streams',
  buffersInUse: 0,
  start: (task) => {
    const pipe = new JoinedSides(task);
    pipe.start(task.early, Buffer.alloc(0));
    return pipe;
  },
};
