import { startApp } from './app/start-app.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
// Not with a top-level `await`: for modules that have one, Rolldown merges no chunks.
void startApp(root);
