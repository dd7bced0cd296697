// @ts-check
import fs from 'node:fs';

/**
 * The system reuses process ids, so a recorded id may belong to another program by now. Together with its start time
 * it identifies one process.
 * @typedef {{ pid: number, startedAt: string }} Identity
 */

/** @param {number} pid @returns {string | undefined} undefined when it has ended */
function startTime(pid) {
  if (process.platform !== 'linux') return canSignal(pid) ? 'unknown' : undefined;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    return state === 'Z' ? undefined : fields[19];
  } catch {
    // No such process.
    return undefined;
  }
}

/** @param {number} pid */
function canSignal(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {number} [pid] @returns {Identity} */
export function identify(pid = process.pid) {
  return { pid, startedAt: startTime(pid) ?? 'ended' };
}

/** @param {Identity} identity */
export function isRunning({ pid, startedAt }) {
  return startTime(pid) === startedAt;
}

/**
 * Ends a process that an earlier run left behind, unless start times are unknown: then it may be another program.
 * @param {Identity} identity
 */
export async function endOrphan(identity, graceMs = 5000) {
  if (identity.startedAt === 'unknown' || !isRunning(identity)) return;
  process.kill(identity.pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) process.kill(identity.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
