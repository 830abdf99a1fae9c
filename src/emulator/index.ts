export { type Fault, faultKinds, parseFault } from './faults.ts';
export { type Emulator, startEmulator } from './server.ts';
