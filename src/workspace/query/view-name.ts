/** The view that shows the runs of a scope. */
export function viewName(scope: string): string {
  const name = scope.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return /^[a-z]/.test(name) ? name : `scope_${name}`;
}
