import { startApp } from './app/start-app.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
await startApp(root);
