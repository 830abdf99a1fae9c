import { openOffline } from './converted-runs.ts';

// Converts what lies in a directory as the server does, and ends by itself.
const workspace = openOffline(process.argv[2] ?? '');
await workspace.runs();
await workspace.converted();
await workspace.close();
