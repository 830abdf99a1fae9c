/** Resolves when it holds; what was sent may be on its way. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + 4_000; !(await holds()); ) {
    if (Date.now() > endMs) throw new Error('It never comes to hold.');
    await new Promise((resolve) => void setImmediate(resolve));
  }
}
