import { localTimeZone } from '#ui/format/local-time-zone.ts';

/** All zones that the browser knows, the chosen and the local one first. */
export function zoneNames(chosen: string | undefined): string[] {
  const first = [chosen, localTimeZone(), 'UTC'].filter((zone): zone is string => Boolean(zone));
  return [...new Set([...first, ...Intl.supportedValuesOf('timeZone')])];
}
