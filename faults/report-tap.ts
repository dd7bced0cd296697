/** Reads the reports of gateways from the connections to the API, so that they are known even after a gateway was killed. */

const MESSAGE = /"runId":"([0-9a-f-]{36})"|"connectionId":"([0-9a-f-]{36})","usedBytes":(\d+),/g;
/** Longer than any match. */
const TAIL_CHARACTERS = 200;

export class ReportTap {
  /** The run that sent the last message. */
  lastRunId: string | undefined;
  readonly #totals = new Map<string, number>();

  /** @returns a function that receives the chunks of one TCP connection to the API */
  createReader(): (chunk: Buffer) => void {
    let text = '';
    let runId = '';
    return (chunk) => {
      text += chunk.toString('latin1');
      let parsedUntil = 0;
      for (const match of text.matchAll(MESSAGE)) {
        const [whole, run, connectionId, usedBytes] = match;
        parsedUntil = match.index + whole.length;
        if (run !== undefined) this.lastRunId = runId = run;
        else
          this.#totals.set(
            `${runId} ${connectionId}`,
            Math.max(this.reported(runId, connectionId!), Number(usedBytes)),
          );
      }
      text = text.slice(Math.max(parsedUntil, text.length - TAIL_CHARACTERS));
    };
  }

  reported(runId: string, connectionId: string): number {
    return this.#totals.get(`${runId} ${connectionId}`) ?? 0;
  }
}
