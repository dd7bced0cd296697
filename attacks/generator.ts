/** Runs an attack in a separate process, so that it does not slow down the honest clients. Started by run.ts. */
import { attacks } from './attacks.ts';
import { Client, type Counts, type Target } from './client.ts';

export interface AttackJob {
  attack: string;
  target: Target;
}
export interface Report {
  counts: Counts;
  cpuSeconds: number;
}

process.once('message', (job: AttackJob) => {
  const cpuAtStart = process.cpuUsage();
  const client = new Client(job.target);
  const attack = attacks.find(({ name }) => name === job.attack)!;
  const running = attack.run(client);
  process.once('message', () => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    const report: Report = { counts: client.counts, cpuSeconds: (user + system) / 1e6 };
    client.stop();
    void running.then(() => process.send!(report, () => process.exit(0)));
  });
});
process.send!('ready');
