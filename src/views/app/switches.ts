import { asMembers, type Members } from './host.ts';
import { part, shown } from './page.ts';

/** A choice of a person in words, and the arguments that it puts in place of those of the call. */
interface Choice {
  readonly words: string;
  /** Undefined takes an argument away. */
  readonly args: Members;
}

/** A baseline that was named belongs to the period that was asked for. */
const NO_BASELINE = { baselineStartDate: undefined, baselineEndDate: undefined };

const PERIODS: readonly Choice[] = [
  ['Last 7 days', '-7d', 'yesterday'],
  ['Last 28 days', '-28d', 'yesterday'],
  ['Last 90 days', '-90d', 'yesterday'],
  ['Last week', 'last_week', 'last_week'],
  ['Last month', 'last_month', 'last_month'],
  ['This month', 'this_month', 'yesterday'],
].map(([words = '', startDate, endDate]) => ({ words, args: { startDate, endDate, ...NO_BASELINE } }));

const DEVICES: readonly Choice[] = [
  { words: 'All devices', args: { devices: undefined } },
  ...['desktop', 'mobile', 'tablet'].map((device) => ({ words: device, args: { devices: [device] } })),
];

/** The period that the assistant asked for, as the first choice; the picture says its days. */
function askedPeriod({ startDate, endDate }: Members): Choice {
  const same = PERIODS.find(({ args }) => args['startDate'] === startDate && args['endDate'] === endDate);
  return { words: same ? `As asked: ${same.words}` : 'As asked', args: {} };
}

function askedDevices({ devices }: Members): Choice | undefined {
  return Array.isArray(devices) ? { words: `As asked: ${devices.join(', ')}`, args: {} } : undefined;
}

function fill(id: string, choices: readonly Choice[], changed: () => void) {
  const select = part(id);
  if (!(select instanceof HTMLSelectElement)) throw new Error(`#${id} offers no choice.`);
  select.replaceChildren(...choices.map(({ words }, index) => new Option(words, String(index))));
  if (select.parentElement) select.parentElement.hidden = choices.length < 2;
  select.addEventListener('change', changed);
  return () => choices[select.selectedIndex]?.args;
}

/** The arguments of what is chosen, of each switch. */
let picked: readonly (() => Members | undefined)[] = [];

/** Offers the switches that the tool takes, once, where the host passes calls on; `changed` is called on every choice. */
export function offerSwitches(changed: () => void): void {
  const { host, context, args } = shown;
  if (!host?.callsTools || !part('switches').hidden) return;
  const takes = asMembers(asMembers(asMembers(context.toolInfo?.tool)['inputSchema'])['properties']);
  const asked = askedDevices(args);
  const periods = 'startDate' in takes && 'endDate' in takes ? [askedPeriod(args), ...PERIODS] : [];
  // Devices side by side are the question itself.
  const devices = 'devices' in takes && args['by'] !== 'device' ? [...(asked ? [asked] : []), ...DEVICES] : [];
  picked = [fill('period', periods, changed), fill('device', devices, changed)];
  part('switches').hidden = periods.length === 0 && devices.length === 0;
}

/** The arguments of the call with what is chosen. */
export function chosenArgs(): Members {
  const changes: Members = Object.assign({}, shown.args, ...picked.map((args) => args()));
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
