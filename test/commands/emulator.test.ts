import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { emulator } from '../../src/commands/emulator.ts';
import { SettingsError } from '../../src/settings/settings.ts';

const world = { seed: 1, faults: [] };

it.each(['abc', '0', '65533', '1.5'])('refuses %s as a port', async (port) => {
  await expect(emulator(world, port)).rejects.toThrow(`--port "${port}" is wrong: expected a port from 1 to 65532`);
});

it('says in one line that a port is taken', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const refusal = emulator(world, String(port));
  await expect(refusal).rejects.toThrow(SettingsError);
  await expect(refusal).rejects.toThrow(/^--port: .*cannot listen on port \d+/);
});
