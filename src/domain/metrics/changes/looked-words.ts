import { formatNumber } from '../../../lib/number-text.ts';

/** The parts that were looked at: of the site and its zones, and in speed scenarios. */
interface Places {
  readonly site: { readonly unread: { readonly selections: number; readonly of: number } } | undefined;
  readonly speed: { readonly looked: number; readonly scenarios: number } | undefined;
}

/** A number of things: `1 change`, `1,200 series`. */
export const counted = (count: number, one: string) => `${formatNumber(count, { group: true })} ${one}${count === 1 ? '' : 's'}`;

/** `330 series looked at, 186 of them of 6 speed scenarios`, and how many selections could not be read. */
export function seenWords({ site, speed }: Places, looked: number): string {
  const { selections, of } = site?.unread ?? { selections: 0, of: 0 };
  const seen = seriesWords({ site, speed }, looked);
  return selections > 0 ? `only ${seen}, for ${selections} of ${of} selections could not be read` : seen;
}

function seriesWords({ site, speed }: Places, looked: number): string {
  const series = (count: number) => formatNumber(count, { group: true });
  if (!speed) return `${series(looked)} series looked at`;
  const scenarios = counted(speed.scenarios, 'speed scenario');
  return site
    ? `${series(looked)} series looked at, ${series(speed.looked)} of them of ${scenarios}`
    : `${series(looked)} series of ${scenarios} looked at`;
}
