import { asMembers, type Members } from './host.ts';

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

/** The two switches of the page. */
export interface Switches {
  /** Offers what the tool takes; none of both where it takes neither. */
  readonly offer: (tool: unknown, args: Members) => void;
  /** The arguments of the call with what is chosen. */
  readonly chosen: (args: Members) => Members;
}

/** The period that the assistant asked for, as the first choice; the picture says its days. */
function askedPeriod({ startDate, endDate }: Members): Choice {
  const same = PERIODS.find(({ args }) => args['startDate'] === startDate && args['endDate'] === endDate);
  return { words: same ? `As asked: ${same.words}` : 'As asked', args: {} };
}

function askedDevices({ devices }: Members): Choice | undefined {
  return Array.isArray(devices) ? { words: `As asked: ${devices.join(', ')}`, args: {} } : undefined;
}

function fill(select: HTMLSelectElement, choices: readonly Choice[]): void {
  select.replaceChildren(
    ...choices.map(({ words }, index) => {
      const option = document.createElement('option');
      option.value = String(index);
      option.textContent = words;
      return option;
    }),
  );
  if (select.parentElement) select.parentElement.hidden = choices.length < 2;
}

/** Connects the switches; `changed` is called on every choice. */
export function connectSwitches(form: HTMLElement, period: HTMLSelectElement, device: HTMLSelectElement, changed: () => void): Switches {
  let periods: readonly Choice[] = [];
  let devices: readonly Choice[] = [];
  for (const select of [period, device]) select.addEventListener('change', changed);
  return {
    offer(tool, args) {
      const takes = asMembers(asMembers(asMembers(tool)['inputSchema'])['properties']);
      const asked = askedDevices(args);
      periods = 'startDate' in takes && 'endDate' in takes ? [askedPeriod(args), ...PERIODS] : [];
      // Devices side by side are the question itself.
      devices = 'devices' in takes && args['by'] !== 'device' ? [...(asked ? [asked] : []), ...DEVICES] : [];
      fill(period, periods);
      fill(device, devices);
      form.hidden = periods.length === 0 && devices.length === 0;
    },
    chosen(args) {
      const picked = [periods[period.selectedIndex], devices[device.selectedIndex]];
      const changes: Members = Object.assign({}, ...picked.map((choice) => choice?.args ?? {}));
      return Object.fromEntries(Object.entries({ ...args, ...changes }).filter(([, value]) => value !== undefined));
    },
  };
}
