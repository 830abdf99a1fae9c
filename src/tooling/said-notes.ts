import type { Clock } from '../lib/clock.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { markOf } from '../lib/note-mark.ts';

/** Remembers the notes that a session has received lately, so that it does not receive the same in full again. */
export interface SaidNotes {
  /** The notes of an answer without their marks: those that were said lately stand together in short, at the end. */
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

/** The beginning of a note by which a reader knows it again: its first sentence or clause. */
export function reminderOf(note: string): string {
  const [first = note] = note.split(/(?<=[.!?])\s/, 1);
  const sentence = first.replace(/[.!?]$/, '');
  if (sentence.length <= SHORT) return sentence;
  const [clause = sentence] = sentence.split(/[:;,(]\s|\s\(/, 1);
  return clause.length >= LEAST && clause.length <= SHORT ? clause : `${clause.slice(0, SHORT - 1).replace(/\s+\S*$/, '')} …`;
}

/** Makes the memory of a session. */
export function createSaidNotes(clock: Clock): SaidNotes {
  /** When each was said last, ms since 1970, the longest unsaid first. */
  const said = new Map<string, number>();
  /** Notes of the session, by what they are about: the last that was said. */
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

  function stands(about: string, sentence: string): boolean {
    const last = standing.get(about);
    standing.set(about, { sentence, atMs: clock.now() });
    return last?.sentence === sentence && isYoung(last.atMs);
  }

  return {
    isKnown,
    shorten(notes) {
      const [whole, reminders]: [string[], string[]] = [[], []];
      for (const { sentence, isOfAnswer, about } of notes.map(markOf)) {
        if (about !== undefined) {
          // It is about where an answer comes from, not about its figures.
          if (!stands(about, sentence)) whole.push(sentence);
        } else if (sentence.length < LONG || isOfAnswer) whole.push(sentence);
        else if (isKnown(sentence)) reminders.push(reminderOf(sentence));
        else whole.push(sentence);
      }
      return reminders.length === 0 ? whole : [...whole, `As said before: ${reminders.join('; ')}.`];
    },
  };
}
