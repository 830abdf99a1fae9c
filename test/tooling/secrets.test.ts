import { describe, expect, it, onTestFinished } from 'vitest';
import { openAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { openStub, payload } from '../support/stub-platform.ts';

const platform = sharedPlatform();

/** An assistant, the secret of its credential, and a look for what a result leaks of it, its tokens included. */
async function sealed() {
  const assistant = await openAssistant(platform());
  onTestFinished(() => assistant.close());
  const { clientSecret } = platform().credentials.account;
  const spellings = [clientSecret, encodeURIComponent(clientSecret), Buffer.from(clientSecret).toString('base64').slice(0, 30)];
  const leaks = async (tool: string, args: Record<string, unknown> = {}) => {
    const shown = JSON.stringify(await assistant.client.callTool({ name: tool, arguments: args }));
    return [...spellings.filter((spelling) => shown.includes(spelling)), ...(shown.match(/eyJ[\w-]{8,}\.[\w-]+/g) ?? [])];
  };
  return { assistant, clientSecret, leaks };
}

describe('secret and token', () => {
  it('are not handed back to a caller who gives them as arguments, good or bad', async () => {
    const { leaks, clientSecret } = await sealed();
    const token = await platform().token('account', { projectId: 1201 });
    for (const secret of [clientSecret, token, `Bearer ${token}`]) {
      expect(await leaks('list_scenarios', { [secret]: 1 })).toEqual([]);
      expect(await leaks('get_export_job', { jobId: secret })).toEqual([]);
      expect(await leaks('get_site_visits', { startDate: secret, endDate: 'now' })).toEqual([]);
      expect(await leaks('delete_speed_event', { key: secret })).toEqual([]);
    }
  });

  it('are not in the address of what a caller named by them', async () => {
    const stub = await openStub({ answers: [payload({ step: { id: 'a' } })] });
    const assistant = await openAssistant({ ...platform(), authUrl: stub.url }, { defaultProjectId: 7 });
    onTestFinished(() => assistant.close());
    const { links, text, structured } = await assistant.call('get_step_report', { stepId: platform().credentials.account.clientSecret });
    expect(links).toEqual(['analytics://7/steps/[redacted]']);
    expect(`${text} ${JSON.stringify(structured)}`).not.toContain(platform().credentials.account.clientSecret);
  });
});
