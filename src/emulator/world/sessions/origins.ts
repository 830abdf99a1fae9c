import { pick, scramble, shareTable } from '../random.ts';
import { campaigns } from './dimensions.ts';
import type { Profile } from './profiles.ts';
import type { SessionDay } from './types.ts';

const DIRECT = 0;
const PAID_SEARCH = 2;
const NEWSLETTER = 3;
/** Newsletters go out on Tuesdays and Thursdays; that many sessions more come from them then. */
const MAILED_SHARE = 0.05;
/** Paid searches that a campaign paid for, against those without a name. */
const namedSearches = shareTable([0.6, 0.4]);
/** Tells this use of a session's hash from others. */
const ORIGIN = 0x1b873593;

const SUMMER_SALE = campaigns.indexOf('summer-sale');
const BLACK_FRIDAY = campaigns.indexOf('black-friday');
const WEEKLY_NEWSLETTER = campaigns.indexOf('weekly-newsletter');
const BRAND_SEARCH = campaigns.indexOf('brand-search');

/** Campaign of the paid searches of a date: summer sale from 15 June to 31 July, Black Friday from 20 November to 2 December. */
function searchCampaign(date: Date): number {
  const monthDay = (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
  if (monthDay >= 615 && monthDay <= 731) return SUMMER_SALE;
  return monthDay >= 1120 && monthDay <= 1202 ? BLACK_FRIDAY : BRAND_SEARCH;
}

/** Fills source and campaign of the sessions that have no campaign yet. */
export function fillOrigins(day: SessionDay, profile: Profile, date: Date): void {
  const mailed = [2, 4].includes(date.getUTCDay()) ? MAILED_SHARE : 0;
  const shares = shareTable(
    profile.sourceShare.map((share, source) => {
      if (source === NEWSLETTER) return share + mailed;
      return source === DIRECT ? share - mailed : share;
    }),
  );
  const search = searchCampaign(date);
  for (let index = 0; index < day.count; index += 1) {
    if (day.campaign[index] !== 0) continue;
    const bits = scramble((day.seed[index] ?? 0) ^ ORIGIN);
    const source = pick(shares, bits);
    day.source[index] = source;
    if (source === NEWSLETTER) day.campaign[index] = WEEKLY_NEWSLETTER;
    else if (source === PAID_SEARCH && pick(namedSearches, bits >>> 10) === 0) day.campaign[index] = search;
  }
}
