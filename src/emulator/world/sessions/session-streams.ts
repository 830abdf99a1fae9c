/**
 * Constants that make another stream of draws from one hash for each use; two alike would make two facts of a session depend on each other.
 */
export const SESSION_STREAMS = {
  visitor: 0x9e3779b1,
  equipment: 0x05ebca77,
  date: 0xc2b2ae3d,
  absence: 0x7feb352d,
  origin: 0x1b873593,
  purchase: 0x27d4eb2f,
  basket: 0x165667b1,
  secondBasket: 0x2c1b3c6d,
  reading: 0x3c6ef372,
  goal: 0x1b56c4e9,
  screen: 0x68e31da4,
  taps: 0x4cf5ad43,
  swipes: 0x2b2ae35d,
} as const;
