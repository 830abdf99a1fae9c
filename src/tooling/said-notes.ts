import type { Clock } from '../lib/clock.ts';
import { MINUTE_MS } from '../lib/clock.ts';

/** The memory of the notes that a session was told lately, so that none is not told the same in full again. */
export interface SaidNotes {
  /** The notes of an answer: those that were said lately stand together in short, at the end. */
  shorten(notes: readonly string[]): string[];
  /** Whether this was said lately; remembers that it is said now. */
  isKnown(sentence: string): boolean;
}

/** A conversation that rests for longer may be another one. */
const LIFE_MS = 10 * MINUTE_MS;
/** Shorter notes are no longer than their reminder. */
const LONG = 70;
/** Length of a reminder, at which it may end within a sentence. */
const SHORT = 60;
/** A shorter clause names its subject alone. */
const LEAST = 10;
const MOST = 500;

/** Left out where the last answer said the same: it is about where an answer comes from, not about its figures. */
const OF_SESSION = /^(Project: |Whether these days are still corrected )/;
/** Notes that only this answer can mean, however often it was said. */
const OF_ANSWER =
  /^(Range: |Not in the data: |\w+: Not in the data: |Today is |planId |Nothing |A full page)|cursor|pass (page|limit)|needs|no row|\?$/;

/** The beginning of a note by which a reader knows it again: its first sentence or clause. */
export function reminderOf(note: string): string {
  const [first = note] = note.split(/(?<=[.!?])\s/, 1);
  const sentence = first.replace(/[.!?]$/, '');
  if (sentence.length <= SHORT) return sentence;
  const [clause = sentence] = sentence.split(/[:;,(]\s|\s\(/, 1);
  return clause.length >= LEAST && clause.length <= SHORT ? clause : `${clause.slice(0, SHORT - 1).replace(/\s+\S*$/, '')} …`;
}

/** Remembers what a session was told. */
export function createSaidNotes(clock: Clock): SaidNotes {
  /** When each was said last, ms since 1970, the longest unsaid first. */
  const said = new Map<string, number>();
  /** Notes that stand for the session as a whole, by its first word: the last that was said. */
  const standing = new Map<string, { sentence: string; atMs: number }>();

  const isYoung = (atMs: number | undefined) => atMs !== undefined && Math.abs(clock.now() - atMs) < LIFE_MS;

  function isKnown(sentence: string): boolean {
    const known = isYoung(said.get(sentence));
    said.delete(sentence);
    said.set(sentence, clock.now());
    const [oldest] = said.keys();
    if (said.size > MOST && oldest !== undefined) said.delete(oldest);
    return known;
  }

  function stands(sentence: string): boolean {
    const [kind = ''] = sentence.split(' ', 1);
    const last = standing.get(kind);
    standing.set(kind, { sentence, atMs: clock.now() });
    return last?.sentence === sentence && isYoung(last.atMs);
  }

  return {
    isKnown,
    shorten(notes) {
      const [whole, reminders]: [string[], string[]] = [[], []];
      for (const note of notes) {
        if (OF_SESSION.test(note)) {
          if (!stands(note)) whole.push(note);
        } else if (note.length < LONG || OF_ANSWER.test(note)) whole.push(note);
        else if (isKnown(note)) reminders.push(reminderOf(note));
        else whole.push(note);
      }
      return reminders.length === 0 ? whole : [...whole, `As said before: ${reminders.join('; ')}.`];
    },
  };
}
