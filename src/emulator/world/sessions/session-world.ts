import { LRUCache } from 'lru-cache';
import type { Origin } from '../index.ts';
import { segmentsOf } from './catalogue.ts';
import { countries } from './dimensions.ts';
import { emptyDay, makeDay, type Twist } from './make-day.ts';
import { profileOf } from './profiles.ts';
import { type MetricStories, metricStories } from './stories.ts';
import { DAY_MS, dayNumberOf, MAX_SESSION_MS, RETENTION_DAYS, type SessionDay, type SessionWorld } from './types.ts';

/** Days beyond this are computed again when needed: half a year of all projects stays. */
const CACHE_BYTES = 48 * 1024 * 1024;
const COLUMN_BYTES_PER_SESSION = 44;
const DEVICE_IDS = { desktop: [1], mobile: [2, 4], tablet: [3, 5] } as const;
const SOCIAL = 4;
const READER_BOOST = 5;

function twistOf({ conversionFall: fall, mixCampaign: mixed }: MetricStories, projectId: number, dayNumber: number): Twist {
  const date = new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
  const falls = projectId === fall.projectId && date >= fall.startDay;
  const isMixed = projectId === mixed.projectId && date >= mixed.startDay && date <= mixed.endDay;
  return {
    fall: falls
      ? {
          deviceIds: DEVICE_IDS[fall.device],
          factor: fall.factor,
          segment: segmentsOf(projectId).find(({ id }) => id === fall.segment?.id) ?? null,
          segmentFactor: fall.segment?.factor ?? fall.factor,
        }
      : null,
    boost: isMixed
      ? {
          deviceId: mixed.device === 'mobile' ? 2 : 3,
          country: countries.findIndex(({ code }) => code === mixed.country),
          source: SOCIAL,
          campaign: READER_BOOST,
          addedShare: mixed.addedShare,
        }
      : null,
  };
}

/** The day as far as the clock has got: later sessions cut off, the running ones ended at the present. */
function upTo(day: SessionDay, nowMs: number): SessionDay {
  const elapsedMs = nowMs - day.dayNumber * DAY_MS;
  if (elapsedMs >= DAY_MS + MAX_SESSION_MS) return day;
  let count = day.count;
  while (count > 0 && (day.startSecond[count - 1] ?? 0) * 1_000 > elapsedMs) count -= 1;
  const durationMs = day.durationMs.slice(0, count);
  for (let index = 0; index < count; index += 1) {
    durationMs[index] = Math.min(durationMs[index] ?? 0, elapsedMs - (day.startSecond[index] ?? 0) * 1_000);
  }
  return {
    projectId: day.projectId,
    dayNumber: day.dayNumber,
    count,
    startSecond: day.startSecond.subarray(0, count),
    durationMs,
    deviceId: day.deviceId.subarray(0, count),
    userHigh: day.userHigh.subarray(0, count),
    userLow: day.userLow.subarray(0, count),
    sessionNumber: day.sessionNumber.subarray(0, count),
    pageViews: day.pageViews.subarray(0, count),
    transactions: day.transactions.subarray(0, count),
    revenueCents: day.revenueCents.subarray(0, count),
    goals: day.goals.subarray(0, count),
    segments: day.segments.subarray(0, count),
    country: day.country.subarray(0, count),
    language: day.language.subarray(0, count),
    browser: day.browser.subarray(0, count),
    browserVersion: day.browserVersion.subarray(0, count),
    platform: day.platform.subarray(0, count),
    platformVersion: day.platformVersion.subarray(0, count),
    source: day.source.subarray(0, count),
    campaign: day.campaign.subarray(0, count),
    seed: day.seed.subarray(0, count),
  };
}

/** The sessions of an emulator: nothing is computed before it is asked for, and the latest days asked for stay in memory. */
export function createSessions(origin: Origin): SessionWorld {
  const stories = metricStories(origin);
  const firstDay = dayNumberOf(origin.startMs) - RETENTION_DAYS;
  const days = new LRUCache<string, SessionDay>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ count }) => 2_000 + count * COLUMN_BYTES_PER_SESSION,
  });

  function wholeDay(projectId: number, dayNumber: number): SessionDay {
    const key = `${projectId}/${dayNumber}`;
    const known = days.get(key);
    if (known) return known;
    const made = makeDay(profileOf(projectId), origin.seed, dayNumber, twistOf(stories, projectId, dayNumber));
    days.set(key, made);
    return made;
  }

  return {
    stories,
    day(projectId, dayNumber, nowMs) {
      if (dayNumber < firstDay || dayNumber * DAY_MS > nowMs) return emptyDay(projectId, dayNumber, 0);
      return upTo(wholeDay(projectId, dayNumber), nowMs);
    },
  };
}
