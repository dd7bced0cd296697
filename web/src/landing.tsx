import { startLanding } from './app/start-landing.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('landing.html has no #root');
// Not with a top-level `await`: for modules that have one, Rolldown merges no chunks.
void startLanding(root);
