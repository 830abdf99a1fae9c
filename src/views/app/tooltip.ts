import type { TooltipLine } from '../charts/look.ts';

/** The tooltip as an element: every text goes in as text, so that no address or name can become markup. */
export function tooltipElement(lines: readonly TooltipLine[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'tooltip';
  for (const { name, value, colour } of lines) box.append(value === undefined ? heading(name) : row(name, value, colour));
  return box;
}

function heading(name: string): HTMLElement {
  const element = document.createElement('b');
  element.textContent = name;
  return element;
}

function row(name: string, value: string, colour: string | undefined): HTMLElement {
  const element = document.createElement('div');
  const swatch = document.createElement('i');
  if (colour !== undefined) swatch.style.backgroundColor = colour;
  const words = document.createElement('span');
  words.textContent = name;
  const amount = document.createElement('span');
  amount.textContent = value;
  element.append(...(colour === undefined ? [] : [swatch]), words, amount);
  return element;
}
