/** One figure of the gate: what is measured, its value and unit, which way is better, and the bound that it must hold where it has one. */
export interface GateRow {
  what: string;
  value: number;
  unit: string;
  better: 'higher' | 'lower';
  bound?: number;
}
