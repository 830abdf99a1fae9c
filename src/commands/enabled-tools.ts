import { toolsets } from '../../tools/index.ts';
import type { AnyTool } from '../mcp/tool.ts';
import { type Settings, SettingsError } from '../settings.ts';

/** The tools that the settings leave on, in the order of their toolsets; an unknown toolset is refused by name. */
export function enabledTools({ toolsets: chosen, readOnly }: Pick<Settings, 'toolsets' | 'readOnly'>): AnyTool[] {
  const names = toolsets.map(({ name }) => name);
  const wanted = chosen === undefined || chosen.includes('all') ? names : chosen;
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new SettingsError(`WEB_ANALYTICS_TOOLSETS: no toolset "${unknown.join('", "')}"; there are all, ${names.join(', ')}`);
  const tools = toolsets.filter(({ name }) => wanted.includes(name)).flatMap((toolset) => toolset.tools);
  return tools.filter(({ annotations }) => annotations.readOnlyHint || !readOnly);
}
