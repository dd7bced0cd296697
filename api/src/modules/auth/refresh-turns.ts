/**
 * Refreshes take turns: whoever has an access token, even one that has expired, can send wrong refresh tokens for its session, and
 * each is looked up and counted in the database, whose connections others need as well.
 */
import { takeTurns, type Turns, type TurnsUse } from '../../turns.ts';

/** Each takes one of the pool's connections; the others are for everything else. */
const RUNNING_MAX = 4;
/** Sessions of which a refresh waits. */
const SESSIONS_WAITING_MAX = 1000;
/** Of one session: as many as there are sockets by default, so that networks without number do not fill it against its owner. */
const WAITING_MAX = 2000;
/** Of one session and network: tabs, and the threads of a program. */
const WAITING_OF_ONE_MAX = 100;

const sessions = takeTurns({ runningMax: RUNNING_MAX, waitingMax: SESSIONS_WAITING_MAX });
/** Of the sessions that are being refreshed: one refresh of each runs, because more would wait for its row. */
const lines = new Map<string, Line>();
let refusedBefore = 0;

interface Line {
  turns: Turns;
  count: number;
}

/** For the metrics. */
export function refreshesUse(): TurnsUse {
  const { running, waiting, refused } = sessions.use();
  const uses = [...lines.values()].map(({ turns }) => turns.use());
  return {
    running,
    waiting: uses.reduce((sum, use) => sum + use.waiting, waiting),
    refused: uses.reduce((sum, use) => sum + use.refused, refused + refusedBefore),
  };
}

/**
 * Of one session the networks take turns: who has a copy of its access token does not keep its owner, who is elsewhere, from refreshing.
 * @throws AppError RATE_LIMITED when too much of this network waits for this session, UNAVAILABLE when too much waits in all
 */
export async function inRefreshTurn<T>(sessionId: string, network: string, refresh: () => Promise<T>): Promise<T> {
  const line = lines.get(sessionId) ?? newLine();
  lines.set(sessionId, line);
  line.count += 1;
  try {
    return await line.turns.take(() => sessions.take(refresh), network);
  } finally {
    line.count -= 1;
    if (line.count === 0) {
      lines.delete(sessionId);
      refusedBefore += line.turns.use().refused;
    }
  }
}

function newLine(): Line {
  const limits = { runningMax: 1, waitingMax: WAITING_MAX, waitingOfOneMax: WAITING_OF_ONE_MAX };
  return { turns: takeTurns(limits), count: 0 };
}
