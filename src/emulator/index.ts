export { type Fault, parseFault } from './faults.ts';
export { type Emulator, startEmulator } from './server.ts';
export { warmUp } from './warm-up.ts';
