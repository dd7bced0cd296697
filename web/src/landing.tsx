import { startLanding } from './app/start-landing.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('landing.html has no #root');
await startLanding(root);
