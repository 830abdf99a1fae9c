import type { ListedTool } from '../mcp/listing.ts';
import { type Settings, SettingsError } from '../settings.ts';

/** Those of the tools that the settings leave on, in their order; an unknown toolset is refused by name. */
export function enabledTools(
  all: readonly ListedTool[],
  { toolsets: chosen, readOnly }: Pick<Settings, 'toolsets' | 'readOnly'>,
): ListedTool[] {
  const names = [...new Set(all.map(({ toolset }) => toolset))];
  const wanted = chosen === undefined || chosen.includes('all') ? names : chosen;
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new SettingsError(`WEB_ANALYTICS_TOOLSETS: no toolset "${unknown.join('", "')}"; there are all, ${names.join(', ')}`);
  }
  return all.filter(({ toolset, annotations }) => wanted.includes(toolset) && (annotations.readOnlyHint || !readOnly));
}
