import type { ListedTool } from '../mcp/listing.ts';
import { type Settings, SettingsError } from '../settings.ts';

/** The preset for hosts that pay for each tool: those that answer most questions. */
export const coreTools: ReadonlySet<string> = new Set([
  'authenticate',
  'list_scenarios',
  'find_objects',
  'query_metrics',
  'compare_metrics',
  'analyze_scenario',
  'analyze_har',
  'plan_export',
  'apply_export_plan',
  'download_export_run',
  'query_export',
]);
const CORE = 'core';

/** Those of the tools that the settings leave on, in their order; an unknown toolset is refused by name. */
export function enabledTools(
  all: readonly ListedTool[],
  { toolsets: chosen, readOnly }: Pick<Settings, 'toolsets' | 'readOnly'>,
): ListedTool[] {
  const names = [...new Set(all.map(({ toolset }) => toolset))];
  const wanted = chosen === undefined || chosen.includes('all') ? names : chosen;
  const unknown = wanted.filter((name) => !names.includes(name) && name !== CORE);
  if (unknown.length > 0) {
    throw new SettingsError(`WEB_ANALYTICS_TOOLSETS: no toolset "${unknown.join('", "')}"; there are all, ${CORE}, ${names.join(', ')}`);
  }
  const isWanted = ({ name, toolset }: ListedTool) => wanted.includes(toolset) || (wanted.includes(CORE) && coreTools.has(name));
  return all.filter((tool) => isWanted(tool) && (tool.annotations.readOnlyHint || !readOnly));
}
